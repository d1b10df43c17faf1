import ts from 'typescript6'
import { has, isStringMapping, isTemplate } from './type-kinds.ts'

/** Owns the patterns of template literal types, e.g. `item-${number}` → `item-` and a number. */

const NUMBER = '-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?'
const ANY = '[\\s\\S]*'

/** Without `^` and `$`; nothing when any text will do. */
export function patternOf(type: ts.TemplateLiteralType | ts.StringMappingType): string | undefined {
  const pattern = partOf(type)
  return pattern === ANY ? undefined : pattern
}

function partOf(type: ts.Type): string {
  if (isTemplate(type)) {
    return type.texts.map((text, at) => escaped(text) + (type.types[at] === undefined ? '' : partOf(type.types[at]))).join('')
  }
  if (isStringMapping(type)) return mapped(type)
  if (type.isUnion()) return `(?:${type.types.map(partOf).join('|')})`
  if (type.isStringLiteral() || type.isNumberLiteral()) return escaped(String(type.value))
  if (has(type, ts.TypeFlags.Number)) return NUMBER
  if (has(type, ts.TypeFlags.BigInt)) return '-?(?:0|[1-9][0-9]*)'
  return ANY
}

/** `Uppercase<string>` and the like: said for ASCII letters, which is what all regular expressions agree on. */
function mapped(type: ts.StringMappingType): string {
  if (!has(type.type, ts.TypeFlags.String)) return partOf(type.type)
  switch (type.symbol.name) {
    case 'Uppercase':
      return '[^a-z]*'
    case 'Lowercase':
      return '[^A-Z]*'
    case 'Capitalize':
      return `(?:[^a-z]${ANY})?`
    case 'Uncapitalize':
      return `(?:[^A-Z]${ANY})?`
    default:
      return ANY
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
