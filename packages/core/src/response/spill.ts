import type { Namespace } from '../contract/ports.ts'
import type { SpillRef } from '../contract/result.ts'
import { countLines } from './lines.ts'
import { type SpillLimits, spillSettings } from './spill-settings.ts'
import { SpillFile } from './spill-store.ts'

/** Characters turned into bytes at once, so that a huge text never exists twice in memory. */
const PIECE = 1_048_576

/**
 * Keeps a whole text in the session's namespace as `results/<id>.txt`, without the secrets that the session takes out.
 *
 * @param limits default: those of the namespace (`setSpillLimits`)
 * @throws AdjutantError TOO_LARGE when it alone is more than a session may keep; NAMESPACE_ESCAPE; an Error of the file system
 * @example
 * ```ts
 * const { id } = await spillText(namespace, 'call_1', longText)
 * await readSpill(namespace, id, { offset: 100, limit: 20 })
 * ```
 */
export async function spillText(namespace: Namespace, callId: string, text: string, limits?: SpillLimits): Promise<SpillRef> {
  const { redactor } = spillSettings(namespace)
  return keepText(namespace, callId, redactor === undefined ? text : (await redactor.redact(text)).text, limits)
}

/** The same for a text whose secrets were taken out already. */
export async function keepText(namespace: Namespace, callId: string, text: string, limits?: SpillLimits): Promise<SpillRef> {
  const file = await SpillFile.open(namespace, callId, limits)
  file.markClean()
  try {
    for (let from = 0; from < text.length; ) {
      let to = Math.min(text.length, from + PIECE)
      const last = text.charCodeAt(to - 1)
      if (to < text.length && last >= 0xd800 && last <= 0xdbff) to--
      await file.write([Buffer.from(text.slice(from, to))])
      from = to
    }
  } catch (error) {
    await file.abandon()
    throw error
  }
  return file.commit(countLines(text))
}
