/**
 * Owns what a reference in a plan is: `${id}`, `${id.path}`, `${id.text}`, and `${item}`, `${item.path}` inside `for_each`. A path is of
 * names and numbers: `.name`, `.0`, `[0]`. `$${` stands for `${` itself. Anything else in braces is plain text: plans carry shell
 * scripts and templates. Pure.
 */

export interface Reference {
  /** Id of a step, or `item`. */
  readonly from: string
  readonly path: readonly string[]
}

/** The name of the current item inside `for_each`; no step can have it. */
export const ITEM = 'item'

export const STEP_ID = /^[A-Za-z_][\w-]{0,63}$/

const MARK = /\$\$\{|\$\{([^${}]*)\}/g
const PARTS = /^([A-Za-z_][\w-]*)((?:\.[\w-]+|\[\d+\])*)$/
const SEGMENT = /\.([\w-]+)|\[(\d+)\]/g

function referenceOf(inside: string): Reference | undefined {
  const [, from, path = ''] = PARTS.exec(inside.trim()) ?? []
  if (from === undefined) return undefined
  return { from, path: [...path.matchAll(SEGMENT)].map(([, name, index]) => name ?? index ?? '') }
}

/** A text in its pieces: plain ones and references. One reference alone keeps the type of what it stands for. */
export function piecesOf(text: string): readonly (string | Reference)[] {
  if (!text.includes('${')) return [text]
  const pieces: (string | Reference)[] = []
  let plain = ''
  let from = 0
  for (const found of text.matchAll(MARK)) {
    plain += text.slice(from, found.index)
    from = found.index + found[0].length
    const reference = found[1] === undefined ? undefined : referenceOf(found[1])
    if (reference === undefined) plain += found[1] === undefined ? '${' : found[0]
    else {
      if (plain !== '') pieces.push(plain)
      plain = ''
      pieces.push(reference)
    }
  }
  plain += text.slice(from)
  if (plain !== '' || pieces.length === 0) pieces.push(plain)
  return pieces
}

/** The reference that a text is, and nothing else. */
export function soleReference(text: string): Reference | undefined {
  const [first, ...others] = piecesOf(text.trim())
  return others.length === 0 && typeof first === 'object' ? first : undefined
}

/** A reference as it is written. */
export function written({ from, path }: Reference): string {
  return `\${${[from, ...path].join('.')}}`
}
