/**
 * Owns character references (`&amp;`, `&#8211;`): all numbers, and the names that documents use (those of HTML 4, and of HTML 5 for punctuation).
 * A name that is not known stays as it is written. Linear; never throws.
 */

/** U+00A0 … U+00FF in order. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo ' +
  'frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve ' +
  'Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ' +
  'ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

/** U+0391 … and U+03B1 … in order; `-` where there is none. */
const GREEK =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega'

const OTHERS =
  'quot=" amp=& lt=< gt=> apos=\' OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ fnof=ƒ circ=ˆ tilde=˜ ensp=\u2002 emsp=\u2003 thinsp=\u2009 zwnj=\u200c ' +
  'zwj=\u200d lrm=\u200e rlm=\u200f ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=” bdquo=„ dagger=† Dagger=‡ bull=• hellip=… permil=‰ prime=′ ' +
  'Prime=″ lsaquo=‹ rsaquo=› oline=‾ frasl=⁄ euro=€ image=ℑ weierp=℘ real=ℜ trade=™ alefsym=ℵ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ crarr=↵ lArr=⇐ uArr=⇑ ' +
  'rArr=⇒ dArr=⇓ hArr=⇔ forall=∀ part=∂ exist=∃ empty=∅ nabla=∇ isin=∈ notin=∉ ni=∋ prod=∏ sum=∑ minus=− lowast=∗ radic=√ prop=∝ infin=∞ ang=∠ and=∧ ' +
  'or=∨ cap=∩ cup=∪ int=∫ there4=∴ sim=∼ cong=≅ asymp=≈ ne=≠ equiv=≡ le=≤ ge=≥ sub=⊂ sup=⊃ nsub=⊄ sube=⊆ supe=⊇ oplus=⊕ otimes=⊗ perp=⊥ sdot=⋅ ' +
  'lceil=⌈ rceil=⌉ lfloor=⌊ rfloor=⌋ lang=⟨ rang=⟩ loz=◊ spades=♠ clubs=♣ hearts=♥ diams=♦ thetasym=ϑ upsih=ϒ piv=ϖ check=✓ cross=✗ star=☆ ' +
  'Tab=\t NewLine=\n excl=! num=# dollar=$ percnt=% lpar=( rpar=) ast=* plus=+ comma=, period=. sol=/ colon=: semi=; equals== quest=? commat=@ lsqb=[ lbrack=[ ' +
  'bsol=\\ rsqb=] rbrack=] Hat=^ lowbar=_ grave=` lcub={ lbrace={ verbar=| vert=| rcub=} rbrace=} nbhy=\u2011 hyphen=‐ dash=‐ horbar=― mldr=… rarrw=↝ phone=☎'

const latin = new Map(LATIN.split(' ').map((name, index) => [name, String.fromCodePoint(0xa0 + index)]))
const names = new Map([
  ...latin,
  ...GREEK.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(0x3b1 + index)]),
  ...GREEK.split(' ').map((name, index): [string, string] => [
    name.charAt(0).toUpperCase() + name.slice(1),
    String.fromCodePoint(0x391 + index),
  ]),
  ...OTHERS.split(' ').map((entry): [string, string] => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
])
/** Also without their semicolon, as in old pages. */
const LEGACY: ReadonlySet<string> = new Set([...latin.keys(), 'quot', 'amp', 'lt', 'gt'])
const LONGEST_LEGACY = Math.max(...Array.from(LEGACY, (name) => name.length))
/** What numbers between 128 and 159 mean: letters of Windows-1252 (HTML standard, 13.2.5.80). */
const WINDOWS_1252 = new TextDecoder('windows-1252')

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]{1,8})|#(\d{1,8})|([A-Za-z][A-Za-z0-9]{1,31}))(;?)/g

/** @param attribute in an attribute's value, names need their semicolon: `?a=1&copy=2` is an address */
export function decodeReferences(text: string, attribute = false): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole: string, hex?: string, decimal?: string, name?: string, end?: string) => {
    if (name === undefined) return ofNumber(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    const found = names.get(name)
    if (found !== undefined && end === ';') return found
    return attribute ? whole : legacyPrefix(name, whole)
  })
}

/** The longest old name at the beginning counts; the rest is text. */
function legacyPrefix(name: string, whole: string): string {
  for (let length = Math.min(name.length, LONGEST_LEGACY); length >= 2; length -= 1) {
    const prefix = name.slice(0, length)
    if (LEGACY.has(prefix)) return `${names.get(prefix) ?? ''}${whole.slice(1 + length)}`
  }
  return whole
}

function ofNumber(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252.decode(Uint8Array.of(code))
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\uFFFD'
  return String.fromCodePoint(code)
}
