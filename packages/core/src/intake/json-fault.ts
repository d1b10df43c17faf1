import { PARSE_DEPTH } from './parse-json.ts'

/**
 * Owns the answer to "what is wrong with this JSON, and where?", in words a model can act on. Called only for text that
 * `JSON.parse` refused (or to measure nesting), so its speed does not matter much; still one pass and no recursion, because the text
 * may be hostile.
 */

/** Where a text stops being JSON. Positions count UTF-16 units from 0; line and column from 1. */
export interface JsonFault {
  readonly position: number
  readonly line: number
  readonly column: number
  /** e.g. `found ' where a value was expected`. */
  readonly message: string
  /** The text simply ends too early; what is there is right so far. */
  readonly incomplete: boolean
}

type Expecting = 'value' | 'value or ]' | 'key or }' | 'key' | 'colon' | 'comma or }' | 'comma or ]' | 'end'

const SAYS: Readonly<Record<Expecting, string>> = {
  value: 'a value was expected',
  'value or ]': 'a value or "]" was expected',
  'key or }': 'a key in double quotes or "}" was expected',
  key: 'a key in double quotes was expected',
  colon: '":" was expected',
  'comma or }': '"," or "}" was expected',
  'comma or ]': '"," or "]" was expected',
  end: 'the text should have ended',
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** What may stand between a number and the end of a text that was cut inside it. */
const CUT_NUMBER = /^(?:\.|[eE][+-]?)$/
const LITERAL = /true|false|null/y
const WORD = /[A-Za-z_$][\w$]{0,19}/y
const HEX = /[0-9a-fA-F]{4}/y

function at(pattern: RegExp, text: string, position: number): string | undefined {
  pattern.lastIndex = position
  return pattern.exec(text)?.[0]
}

function found(text: string, position: number): string {
  if (position >= text.length) return 'found the end of the text'
  const word = at(WORD, text, position)
  if (word !== undefined) return `found ${word}`
  const code = text.codePointAt(position) ?? 0
  if (code === 0x27) return "found a single quote (')"
  if (code < 0x20 || code === 0x7f) return `found the control character U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return `found ${String.fromCodePoint(code)}`
}

function faultAt(text: string, position: number, message: string, incomplete = false): JsonFault {
  let line = 1
  let lineStart = 0
  for (let next = text.indexOf('\n'); next !== -1 && next < position; next = text.indexOf('\n', next + 1)) {
    line++
    lineStart = next + 1
  }
  return { position, line, column: position - lineStart + 1, message, incomplete }
}

/** Position after the closing quote, or what is wrong inside. `from` is the opening quote. */
function readString(text: string, from: number): number | JsonFault {
  for (let position = from + 1; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code === 0x22) return position + 1
    if (code < 0x20) {
      const name = code === 0x0a ? 'a raw line break' : code === 0x09 ? 'a raw tab' : found(text, position).slice('found '.length)
      return faultAt(text, position, `found ${name} inside a string, where it must be escaped (\\n, \\t, \\u00XX)`)
    }
    if (code !== 0x5c) continue
    position++
    if (position >= text.length) break
    const sign = text.charAt(position)
    if (sign === 'u') {
      if (at(HEX, text, position + 1) === undefined) {
        if (position + 5 > text.length) break
        return faultAt(text, position - 1, 'found \\u without four hex digits after it')
      }
      position += 4
    } else if (!'"\\/bfnrt'.includes(sign)) {
      return faultAt(text, position - 1, `found the unknown escape \\${sign} inside a string`)
    }
  }
  return faultAt(text, text.length, 'found the end of the text inside a string', true)
}

/**
 * Finds the first place where `text` is not JSON.
 * @returns undefined when it is JSON
 *
 * @example
 * ```ts
 * findJsonFault(`{"paths": ['a']}`)?.message // `found a single quote (') where a value or "]" was expected`
 * ```
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const inObject: boolean[] = []
  let expecting: Expecting = 'value'
  let position = 0
  const afterValue = (): Expecting => {
    const last = inObject.at(-1)
    return last === undefined ? 'end' : last ? 'comma or }' : 'comma or ]'
  }
  for (;;) {
    while (position < text.length && ' \n\r\t'.includes(text.charAt(position))) position++
    if (position >= text.length) {
      if (expecting === 'end') return undefined
      return faultAt(text, position, `found the end of the text where ${SAYS[expecting]}`, true)
    }
    const char = text.charAt(position)
    const wrong = (): JsonFault => faultAt(text, position, `${found(text, position)} where ${SAYS[expecting]}`)
    switch (expecting) {
      case 'end':
        return wrong()
      case 'colon':
        if (char !== ':') return wrong()
        position++
        expecting = 'value'
        break
      case 'comma or }':
      case 'comma or ]':
        if (char === ',') expecting = expecting === 'comma or }' ? 'key' : 'value'
        else if (char === (expecting === 'comma or }' ? '}' : ']')) {
          inObject.pop()
          expecting = afterValue()
        } else return wrong()
        position++
        break
      case 'key or }':
      case 'key': {
        if (char === '}' && expecting === 'key or }') {
          inObject.pop()
          expecting = afterValue()
          position++
          break
        }
        if (char !== '"') return wrong()
        const end = readString(text, position)
        if (typeof end !== 'number') return end
        position = end
        expecting = 'colon'
        break
      }
      case 'value':
      case 'value or ]': {
        if (char === '{' || char === '[') {
          if (inObject.length >= PARSE_DEPTH) return faultAt(text, position, `found more than ${PARSE_DEPTH} levels of nesting`)
          inObject.push(char === '{')
          expecting = char === '{' ? 'key or }' : 'value or ]'
          position++
          break
        }
        if (char === ']' && expecting === 'value or ]') {
          inObject.pop()
          expecting = afterValue()
          position++
          break
        }
        if (char === '"') {
          const end = readString(text, position)
          if (typeof end !== 'number') return end
          position = end
        } else {
          const token = at(LITERAL, text, position) ?? at(NUMBER, text, position)
          if (token === undefined) {
            const rest = text.slice(position)
            const cut = rest.length < 6 && (['true', 'false', 'null'].some((word) => word.startsWith(rest)) || rest === '-')
            if (cut) return faultAt(text, text.length, `found the end of the text where ${SAYS[expecting]}`, true)
            return wrong()
          }
          position += token.length
          if (CUT_NUMBER.test(text.slice(position, position + 3))) {
            return faultAt(text, text.length, 'found the end of the text inside a number', true)
          }
        }
        expecting = afterValue()
        break
      }
      default:
        return expecting satisfies never
    }
  }
}
