/**
 * Owns what the script of sed does. Versions of sed disagree whether a delimiter within brackets ends a pattern: both readings are tried, and the worse of
 * those that are scripts at all is taken.
 */
import { isNothing, systemPath } from '../data/paths.ts'
import { dangerous, isWorse, read, type Verdict, write } from '../verdict.ts'

/** @param open it has variables of the shell in it, each a `\0`: their values are taken for text, the places where they would be commands refused */
export function readSedScript(script: string, open: boolean): Verdict {
  const outcomes = [new SedReader(script, true).read(), new SedReader(script, false).read()]
  const understood = outcomes.filter((outcome) => outcome.whole)
  if (understood.length === 0)
    return outcomes.some((outcome) => outcome.verdict.effect === 'dangerous')
      ? dangerous('runs a command (e)')
      : write('runs a sed script that is not understood')
  let found = read('prints what it is given, changed')
  // A script that fails has opened its files before.
  for (const { verdict } of outcomes) if (isWorse(verdict.effect, found.effect)) found = verdict
  return open && found.effect === 'read' && /(?:^|[;\n{}])[ \t]*\0/.test(script.replace(/^\s*\0/, ''))
    ? write('has a variable of the shell as a command of sed')
    : found
}

class SedReader {
  readonly #text: string
  readonly #brackets: boolean
  #at = 0
  #found: Verdict = read('')

  constructor(text: string, brackets: boolean) {
    this.#text = text
    this.#brackets = brackets
  }

  read(): { readonly whole: boolean; readonly verdict: Verdict } {
    let whole = true
    while (whole && this.#at < this.#text.length) whole = this.#command()
    return { whole, verdict: this.#found }
  }

  #see(verdict: Verdict): void {
    if (isWorse(verdict.effect, this.#found.effect)) this.#found = verdict
  }

  #match(form: RegExp): string | undefined {
    form.lastIndex = this.#at
    const match = form.exec(this.#text)
    if (match === null) return undefined
    this.#at = form.lastIndex
    return match[0]
  }

  #command(): boolean {
    this.#match(/[\s;]*/y)
    if (this.#at >= this.#text.length) return true
    if (!this.#addresses()) return false
    this.#match(/[\s!]*/y)
    const letter = this.#text.charAt(this.#at++)
    switch (letter) {
      case '{':
      case '}':
        return true
      case '#':
        this.#match(/[^\n]*/y)
        return true
      case ':':
      case 'b':
      case 't':
      case 'T':
        this.#match(/[^\n;}]*/y)
        return true
      case 'a':
      case 'i':
      case 'c':
        this.#match(/(?:[^\n\\]|\\[\s\S])*/y)
        return true
      case 'r':
      case 'R':
        this.#match(/[^\n]*/y)
        return true
      case 'w':
      case 'W':
        this.#writes(this.#match(/[^\n]*/y) ?? '')
        return true
      case 'e':
        this.#see(dangerous('runs a command (e)'))
        this.#match(/[^\n]*/y)
        return true
      case 's':
        return this.#substitute()
      case 'y':
        return this.#between(2)
      case 'q':
      case 'Q':
      case 'l':
      case 'L':
        this.#match(/[ \t]*\d*/y)
        return this.#ends()
      case 'v':
        this.#match(/[^\n;]*/y)
        return true
      default:
        return letter !== '' && '=dDgGhHnNpPxzF'.includes(letter) && this.#ends()
    }
  }

  #writes(path: string): void {
    const system = systemPath(path.trim())
    if (!isNothing(path.trim())) this.#see(system === undefined ? write('writes a file (w)') : dangerous(system))
  }

  #ends(): boolean {
    this.#match(/[ \t\0]*/y)
    return this.#at >= this.#text.length || /[\n;}#]/.test(this.#text.charAt(this.#at))
  }

  #addresses(): boolean {
    for (let count = 0; count < 2; count++) {
      this.#match(/[ \t]*/y)
      const char = this.#text.charAt(this.#at)
      if (char === '/' || (char === '\\' && this.#at + 1 < this.#text.length)) {
        if (char === '\\') this.#at++
        if (!this.#between(1)) return false
        this.#match(/[IM]*/y)
      } else if (this.#match(/[+~]?[\d\0]+(?:~[\d\0]+)?|\$/y) === undefined) return count === 0
      this.#match(/[ \t]*/y)
      if (this.#match(/,/y) === undefined) return true
    }
    return true
  }

  #substitute(): boolean {
    if (!this.#between(2)) return false
    for (;;) {
      if (this.#match(/[gpiImM\d\0]+/y) !== undefined) continue
      if (this.#match(/e/y) !== undefined) {
        this.#see(dangerous('runs what it makes (s///e)'))
        continue
      }
      if (this.#match(/w/y) !== undefined) {
        this.#writes(this.#match(/[^\n]*/y) ?? '')
        return true
      }
      return this.#ends()
    }
  }

  /** Passes a delimiter and as many texts that end with it. */
  #between(texts: number): boolean {
    const delimiter = this.#text.charAt(this.#at)
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\' || delimiter === '\0') return false
    this.#at++
    for (let count = 0; count < texts; count++) {
      let bracket = false
      for (;;) {
        const char = this.#text.charAt(this.#at)
        if (char === '') return false
        this.#at++
        if (char === '\\' && !bracket) this.#at++
        else if (bracket && char === '[' && /[:.=]/.test(this.#text.charAt(this.#at))) this.#match(/[:.=][a-z-]*[:.=]\]/y)
        else if (bracket) bracket = char !== ']'
        else if (char === delimiter) break
        else if (char === '[' && this.#brackets && count === 0) {
          bracket = true
          this.#match(/\^?\]?/y)
        }
      }
    }
    return true
  }
}
