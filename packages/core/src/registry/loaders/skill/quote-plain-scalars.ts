import { parseDocument } from 'yaml'

/**
 * Owns the repair of front matter that is not valid YAML: the value of each `name: value` line that is plain text is put in
 * quotes, with the lines that continue it. Nothing else is touched: lists, maps, block scalars and quoted values stay as they
 * are where they are whole; a list or map in brackets that is none (`[file] [mode]`) was meant as text.
 */

const MEMBER = /^([ ]*(?:- +)?)([A-Za-z_][\w.-]*)[ ]*:[ ]+(\S.*)$/
/** How a value that is not plain begins. */
const STRUCTURE = /^(?:[[{|>&*!#]|-(?: |$))/
const WHOLE_QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ ]*(?:#.*)?$/

/**
 * @example
 * ```ts
 * quotePlainScalars('description: Use when: asked') // "description: 'Use when: asked'"
 * ```
 */
export function quotePlainScalars(yaml: string): string {
  // YAML allows no tabs in indentation.
  const lines = yaml.split('\n').map((line) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')))
  const out: string[] = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const member = MEMBER.exec(line)
    // The mark of a block stands right behind the name; further on in a value (`w: |`) it is text.
    if (member === null ? BLOCK.test(line) : BLOCK_MARK.test(member[3] ?? '')) {
      out.push(line)
      while (index + 1 < lines.length && isInside(lines[index + 1] ?? '', indentOf(line))) out.push(lines[++index] ?? '')
      continue
    }
    if (member === null) {
      out.push(line)
      continue
    }
    const [, indent = '', key = '', first = ''] = member
    let value = first.trimEnd()
    if (STRUCTURE.test(value) && !isBrokenFlow(value)) {
      out.push(line)
      continue
    }
    while (index + 1 < lines.length && isInside(lines[index + 1] ?? '', indent.length)) {
      const next = (lines[++index] ?? '').trim()
      if (next !== '') value += ` ${next}`
    }
    out.push(WHOLE_QUOTED.test(value) ? `${indent}${key}: ${value}` : `${indent}${key}: ${quote(value)}`)
  }
  return out.join('\n')
}

const BLOCK_MARK = /^[|>][+-]?\d?[+-]?[ ]*(?:#.*)?$/
const BLOCK = /:[ ]+[|>][+-]?\d?[+-]?[ ]*(?:#.*)?$/

/** Brackets that do not close on their line may close on a later one: those are left alone. */
function isBrokenFlow(value: string): boolean {
  if (!/^[[{]/.test(value)) return false
  const count = (sign: string): number => value.split(sign).length
  if (count('[') > count(']') || count('{') > count('}')) return false
  return parseDocument(value, { logLevel: 'silent' }).errors.length > 0
}

/** A value that began with a quote and went on after it was meant as text, quotes and all. A comment at its end is none here. */
function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Deeper than the member, or empty with something deeper after it (then the caller stops at the next member anyway). */
function isInside(line: string, indent: number): boolean {
  return line.trim() === '' || indentOf(line) > indent
}
