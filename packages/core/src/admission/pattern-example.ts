import { guardedPattern } from './guarded-pattern.ts'

/**
 * Owns the making of a text that a regular expression accepts, for examples. Reads the usual part of the grammar (letters,
 * classes, groups, alternatives, counts) and takes the shortest way through; what it cannot read it gives up. Pure.
 *
 * @example
 * ```ts
 * patternExample('^AS\\d+$') // 'AS1'
 * patternExample('^(?=x)y') // undefined
 * ```
 */
export function patternExample(source: string): string | undefined {
  if (source.length > 500) return undefined
  const text = new Writer(source).write()
  return text !== undefined && guardedPattern(source).test(text) ? text : undefined
}

/** Repetitions that an example writes out. */
const MAX_REPEAT = 64

class Writer {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  write(): string | undefined {
    const text = this.#alternatives()
    return this.#at === this.#source.length ? text : undefined
  }

  /** The first alternative's text; reads over the others. */
  #alternatives(): string | undefined {
    let first = this.#sequence()
    let count = 1
    while (first !== undefined && this.#source[this.#at] === '|') {
      this.#at++
      const other = this.#sequence()
      if (other === undefined) return undefined
      // An empty first alternative (`|x`) shows nothing.
      if (first === '' && count === 1) first = other
      count++
    }
    return first
  }

  #sequence(): string | undefined {
    let text = ''
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')') {
      const piece = this.#piece()
      const count = piece === undefined ? undefined : this.#count()
      if (piece === undefined || count === undefined) return undefined
      text += piece.repeat(count)
    }
    return text
  }

  #piece(): string | undefined {
    const letter = this.#source[this.#at++]
    switch (letter) {
      case '^':
      case '$':
        return ''
      case '.':
        return 'a'
      case '\\':
        return escaped(this.#source[this.#at++])
      case '[':
        return this.#class()
      case '(':
        return this.#group()
      case '*':
      case '+':
      case '?':
      case '{':
        return undefined
      default:
        return letter
    }
  }

  #group(): string | undefined {
    const special = /^\?(?::|<[A-Za-z_]\w*>)/.exec(this.#source.slice(this.#at, this.#at + 40))
    if (special !== null) this.#at += special[0].length
    else if (this.#source[this.#at] === '?') return undefined
    const text = this.#alternatives()
    return this.#source[this.#at++] === ')' ? text : undefined
  }

  #class(): string | undefined {
    const end = /^(?:\\.|[^\]\\])*\]/.exec(this.#source.slice(this.#at))
    if (end === null) return undefined
    const whole = `[${end[0]}`
    this.#at += end[0].length
    try {
      const fits = new RegExp(`^${whole}$`, 'u')
      return LETTERS.find((letter) => fits.test(letter))
    } catch {
      return undefined
    }
  }

  /** The least number of repetitions, but one where none is allowed: `a*` shows as `a`. */
  #count(): number | undefined {
    const found = /^(?:([*+?])|\{(\d+)(,\d*)?\})\??/.exec(this.#source.slice(this.#at, this.#at + 24))
    if (found === null) return 1
    this.#at += found[0].length
    const [, sign, least] = found
    const count = sign === '?' || least === undefined ? (sign === '?' ? 0 : 1) : Number(least)
    return count <= MAX_REPEAT ? count : undefined
  }
}

const LETTERS: readonly string[] = [...'a1A0bB2_-./:# @+é\n']

function escaped(letter: string | undefined): string | undefined {
  switch (letter) {
    case 'd':
      return '1'
    case 'w':
    case 'D':
    case 'S':
      return 'a'
    case 'W':
      return '-'
    case 's':
      return ' '
    case 'b':
      return ''
    case 't':
      return '\t'
    case 'n':
      return '\n'
    default:
      return letter === undefined || /[A-Za-z0-9]/.test(letter) ? undefined : letter
  }
}
