import { isJsonSpace } from '../json-scanner.ts'
import type { TaggedCall } from '../tagged-body.ts'
import { exactCalls, mayBeCall, nameOfBegun } from './exact-call.ts'
import { type BodyReader, type BodyStep, MORE, type ReaderContext } from './format.ts'
import { parsePythonArguments } from './python-call.ts'
import { SpanScanner } from './span-scanner.ts'

/**
 * Owns messages that are nothing but calls, without any mark: JSON objects (several after each other or behind `;`), a JSON list, or a list
 * in Python's notation. Since nothing marks them, they are calls only when the whole message is; so it is held back from the
 * first character that fits until one that does not, or the end. What does not fit is given back as text, unchanged.
 */

const PYTHON_HEAD = /^\[\s*(?:[A-Za-z_][\w.]*\s*(?:\(\s*(?:\)|\{|[A-Za-z_]\w*\s*=|$|[A-Za-z_]\w*\s*$)|$)|$)/
/** As much as decides whether a Python list may begin. */
const HEAD_LIMIT = 512

export class WholeMessage implements BodyReader {
  readonly #cx: ReaderContext
  #kind: 'json' | 'python' | undefined
  /** Everything since the first character, for the case that it is text. */
  readonly #kept: string[] = []
  #length = 0
  #head = ''
  #scanner: SpanScanner | undefined
  readonly #parts: string[] = []

  constructor(cx: ReaderContext) {
    this.#cx = cx
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    if (this.#kind === undefined) {
      this.#head += text
      const kind = kindOf(this.#head)
      if (kind === 'wait' && !final) return MORE
      if (kind === 'wait' || kind === 'none') return this.#text('', this.#head)
      this.#kind = kind
      rest = this.#head
      this.#head = ''
    }
    return this.#parse(rest, final)
  }

  #parse(text: string, final: boolean): BodyStep {
    let from = 0
    while (from < text.length) {
      const scanner = this.#scanner
      if (scanner === undefined) {
        const code = text.charCodeAt(from)
        if (isJsonSpace(code) || (this.#parts.length > 0 && code === 0x3b)) {
          from++
          continue
        }
        if (code !== 0x7b && code !== 0x5b) return this.#text(text.slice(0, from), text.slice(from))
        this.#scanner = this.#newScanner()
        continue
      }
      const piece = from === 0 ? text : text.slice(from)
      const step = scanner.read(piece, false)
      if (step === 'more') break
      from += piece.length - scanner.rest.length
      this.#parts.push(scanner.body)
      this.#scanner = undefined
    }
    this.#kept.push(text)
    this.#length += text.length
    if (this.#length > this.#cx.calls.limit) return this.#text('', '')
    return final ? this.#end() : MORE
  }

  #newScanner(): SpanScanner {
    const options = { closings: [], openings: [], endsWithBrackets: true, lists: true, python: this.#kind === 'python' }
    return new SpanScanner(options, this.#cx.calls.limit)
  }

  #end(): BodyStep {
    const whole = this.#kept.join('')
    if (this.#scanner !== undefined) {
      const name = this.#kind === 'json' && this.#parts.length === 0 ? nameOfBegun(whole) : undefined
      if (name === undefined) return { type: 'done', rest: whole }
      this.#cx.calls.cut('llama-json', name, whole)
      return { type: 'done', rest: '' }
    }
    const format = this.#kind === 'python' ? 'pythonic' : 'llama-json'
    const calls: TaggedCall[] = []
    for (const part of this.#parts) {
      const found = this.#kind === 'python' ? pythonCalls(part) : exactCalls(part)
      if (found === undefined) return this.#text('', '')
      calls.push(...found)
    }
    for (const call of calls) this.#cx.calls.close(format, call.name, call.arguments, call.id)
    return { type: 'done', rest: '' }
  }

  /** No calls: what was held back, and `read`, is text; `rest` is read on as usual. */
  #text(read: string, rest: string): BodyStep {
    this.#cx.text(this.#kept.join('') + read)
    return { type: 'done', rest }
  }
}

function kindOf(head: string): 'json' | 'python' | 'none' | 'wait' {
  const may = mayBeCall(head, 0)
  if (may === true) return 'json'
  if (PYTHON_HEAD.test(head.slice(0, HEAD_LIMIT))) {
    const decided = /[({=]\s*(?:\)|\{|[A-Za-z_]\w*\s*=)/.test(head.slice(0, HEAD_LIMIT))
    if (decided) return 'python'
    return head.length < HEAD_LIMIT ? 'wait' : 'none'
  }
  return may === 'wait' ? 'wait' : 'none'
}

/** The calls of a list in Python's notation; undefined when it holds anything else. */
function pythonCalls(list: string): readonly TaggedCall[] | undefined {
  const calls: TaggedCall[] = []
  const name = /\s*([A-Za-z_][\w.]*)\s*(?=\()/y
  const between = /\s*,?\s*(?=([A-Za-z_\]]))/y
  let at = 1
  for (;;) {
    name.lastIndex = at
    const found = name.exec(list)
    if (found === null) return undefined
    const scanner = new SpanScanner({ closings: [], openings: [], endsWithBrackets: true, python: true }, list.length)
    const start = name.lastIndex
    if (scanner.read(start === 0 ? list : list.slice(start), true) !== 'closed') return undefined
    const args = parsePythonArguments(scanner.body)
    if (!args.ok) return undefined
    calls.push({ name: found[1] ?? '', arguments: args })
    between.lastIndex = start + scanner.body.length
    const next = between.exec(list)
    if (next === null) return undefined
    if (next[1] === ']') return between.lastIndex === list.length - 1 ? calls : undefined
    at = between.lastIndex
  }
}
