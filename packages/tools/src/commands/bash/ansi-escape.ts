/** Owns the escapes of `$'…'`. */

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}

const CODED = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3}))/y

/** @returns length 0 where the text ends within the escape; `disguised`: spells a character that needs no escape */
export function ansiEscape(source: string, at: number): { readonly text: string; readonly length: number; readonly disguised: boolean } {
  CODED.lastIndex = at
  const coded = CODED.exec(source)
  if (coded !== null) {
    const [all, byte, short, long, octal] = coded
    const code = octal === undefined ? Number.parseInt(byte ?? short ?? long ?? '0', 16) : Number.parseInt(octal, 8) & 0xff
    const text = code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
    return { text, length: all.length, disguised: /^[\x20-\x7e]$/.test(text) }
  }
  const next = source.charAt(at + 1)
  if (next === '') return { text: '', length: 0, disguised: false }
  if (next === 'c') {
    const control = source.charAt(at + 2)
    return { text: String.fromCharCode(control.charCodeAt(0) & 0x1f), length: control === '' ? 0 : 3, disguised: false }
  }
  return { text: NAMED[next] ?? `\\${next}`, length: 2, disguised: false }
}
