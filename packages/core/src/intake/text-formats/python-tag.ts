import { type BodyReader, type BodyStep, MORE, type ReaderContext } from './format.ts'
import { JsonList } from './json-list.ts'
import { Pythonic } from './pythonic.ts'
import { Sniffed } from './sniffed.ts'

/**
 * Owns `<|python_tag|>`: JSON objects with `;` between them, or calls in Python's notation. Other code behind the mark is text: no tool was
 * named that could run it.
 */

const OPENER = '<|python_tag|>'
const ENDS = ['<|eom_id|>', '<|eot_id|>'] as const

export function pythonTag(cx: ReaderContext): BodyReader {
  return new Sniffed((first) => (first === '{' ? new JsonObjects(cx) : new Pythonic(cx, OPENER, ENDS)))
}

/** JSON objects after each other. */
class JsonObjects implements BodyReader {
  readonly trailing: readonly string[] = ENDS
  readonly #cx: ReaderContext
  #item: JsonList | undefined

  constructor(cx: ReaderContext) {
    this.#cx = cx
    this.#item = this.#next()
  }

  read(text: string, final: boolean): BodyStep {
    let rest = text
    for (;;) {
      if (this.#item !== undefined) {
        const step = this.#item.read(rest, final)
        if (step.type === 'more') return step
        this.#item = undefined
        rest = step.rest
      }
      const at = /[^\s;]/.exec(rest)?.index ?? rest.length
      if (at === rest.length) return final ? { type: 'done', rest: '' } : MORE
      if (rest.charAt(at) !== '{') return { type: 'done', rest: rest.slice(at) }
      this.#item = this.#next()
      rest = rest.slice(at)
    }
  }

  #next(): JsonList {
    return new JsonList(this.#cx, 'llama-json', OPENER, ENDS)
  }
}
