import { isJsonSpace } from '../json-scanner.ts'
import { GLM, QWEN } from './element-forms.ts'
import { Elements } from './elements.ts'
import { type BodyReader, type BodyStep, MORE, markAt, type ReaderContext } from './format.ts'
import { JsonBody } from './json-body.ts'
import { Section } from './section.ts'

/**
 * Owns `<tool_call>`, which three forms share: JSON with a name, `<function=name>` with parameters, and a bare name with `<arg_key>`
 * elements. Which it is shows at the first characters; nothing is read twice.
 */

const TAG = '<tool_call>'
const END = '</tool_call>'
const FUNCTION = '<function='
/** Behind a bare name: its arguments, or the end. */
const NAME_END = ['<arg_key>', END] as const
const NAME = /^[A-Za-z_][\w.:/-]*$/
const NAME_LIMIT = 256

export class ToolCallTag implements BodyReader {
  readonly trailing: readonly string[] = [END]
  readonly #cx: ReaderContext
  #reader: BodyReader | undefined
  #head = ''

  constructor(cx: ReaderContext) {
    this.#cx = cx
  }

  read(text: string, final: boolean): BodyStep {
    if (this.#reader !== undefined) return this.#reader.read(text, final)
    this.#head += text
    const reader = this.#choose(this.#head, final)
    if (reader === undefined) return MORE
    this.#reader = reader
    const head = this.#head
    this.#head = ''
    return reader.read(head, final)
  }

  #choose(head: string, final: boolean): BodyReader | undefined {
    let at = 0
    while (at < head.length && isJsonSpace(head.charCodeAt(at))) at++
    if (at < head.length) {
      const mark = markAt(head, at, [FUNCTION], final)
      if (mark === 'wait') return undefined
      if (mark === FUNCTION) {
        return new Section(this.#cx, { opener: TAG, closing: END, items: { [FUNCTION]: (cx) => new Elements(cx, QWEN) } })
      }
      const bare = bareName(head, at, final)
      if (bare === 'wait') return undefined
      if (bare) return new Elements(this.#cx, GLM)
    }
    if (at === head.length && !final && head.length < NAME_LIMIT) return undefined
    return new JsonBody(this.#cx, 'hermes', [END], ['<tool_use>', TAG])
  }
}

/** Whether a tool's name stands at `at`, and behind it what may stand behind one. */
function bareName(text: string, at: number, final: boolean): boolean | 'wait' {
  let end = at
  while (end < text.length && end - at <= NAME_LIMIT && !isJsonSpace(text.charCodeAt(end)) && text.charCodeAt(end) !== 0x3c) end++
  if (!NAME.test(text.slice(at, end))) return false
  let next = end
  while (next < text.length && next - end < NAME_LIMIT && isJsonSpace(text.charCodeAt(next))) next++
  if (next === text.length) return !final && 'wait'
  const mark = markAt(text, next, NAME_END, final)
  return mark === 'wait' ? 'wait' : mark !== undefined
}
