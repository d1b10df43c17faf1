/** Owns how code hides in quoted text: in `a[…]` a shell that does arithmetic runs the substitutions that it finds. One pass. */

export function hidesCode(text: string): boolean {
  let open = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '[') open = true
    else if (char === ']') open = false
    else if (open && (char === '`' || (char === '$' && (text[at + 1] === '(' || text[at + 1] === '{')))) return true
  }
  return false
}
