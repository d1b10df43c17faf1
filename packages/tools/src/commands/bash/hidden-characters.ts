/** Owns what no honest command contains: characters that show nothing, or that show a command otherwise than a shell reads it. */

/** C0 and C1 controls except tab and newline (a shell reads CR as part of a word, editors show a line end). */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/
/** Spaces that are none to a shell, marks of no width, marks of direction, tags. */
const HIDDEN =
  /[\u00a0\u00ad\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0]|\u034f|[\u{e0000}-\u{e0fff}]/u

/** @returns where and what, or undefined */
export function findHidden(text: string): { readonly at: number; readonly reason: string } | undefined {
  const control = CONTROLS.exec(text)
  if (control !== null) return { at: control.index, reason: `contains the control character ${codeOf(text, control.index)}` }
  const hidden = HIDDEN.exec(text)
  if (hidden !== null) return { at: hidden.index, reason: `contains the hidden character ${codeOf(text, hidden.index)}` }
  if (!text.isWellFormed()) return { at: 0, reason: 'is not well-formed Unicode' }
  return undefined
}

function codeOf(text: string, at: number): string {
  return `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
