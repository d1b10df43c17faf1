/** Owns the one form of an address: as browsers read it, http or https, without a user name. What runs is what was shown and decided on. */
import { AdjutantError } from '@adjutant/core/contract'

/** Longer than any server takes. */
const MAX_URL = 8_192

/** @throws AdjutantError INVALID_ARGUMENTS, UNSUPPORTED */
export function canonicalText(text: string): URL {
  const shown = JSON.stringify(text.slice(0, 200))
  if (text.length > MAX_URL)
    throw new AdjutantError('INVALID_ARGUMENTS', `"url" has ${text.length} characters, at most ${MAX_URL} can be fetched`)
  const url = URL.parse(text)
  if (url === null) {
    const withScheme = /^[\w-]+(?:\.[\w-]+)+(?:[/:?#]|$)/.test(text.trim())
    throw new AdjutantError('INVALID_ARGUMENTS', `"url" must be an address in full, got ${shown}`, {
      hint: withScheme ? `Write https://${text.trim().slice(0, 200)}` : 'Write it with https:// and the host.',
    })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AdjutantError('UNSUPPORTED', `${url.protocol} addresses cannot be fetched, got ${shown}`, {
      hint: 'Only http and https are fetched; files are read by read_file.',
    })
  }
  if (url.username !== '' || url.password !== '') {
    throw new AdjutantError('INVALID_ARGUMENTS', '"url" carries a user name before the host', {
      hint: 'Write it without the part before the @.',
    })
  }
  return url
}
