import { DSML, INVOKE, QWEN } from './element-forms.ts'
import { Elements } from './elements.ts'
import { type BodyReader, mayBegin, type ReaderContext } from './format.ts'
import { Gemma, type GemmaForm } from './gemma.ts'
import { Harmony } from './harmony.ts'
import { JsonBody } from './json-body.ts'
import { JsonList } from './json-list.ts'
import { mistral } from './mistral.ts'
import { type NamedForm, type NamedHeader, NamedJson } from './named-json.ts'
import { pythonTag } from './python-tag.ts'
import { Pythonic } from './pythonic.ts'
import { Section } from './section.ts'
import { Thinking } from './thinking.ts'
import { ToolCallTag } from './tool-call-tag.ts'

/**
 * Owns the list of marks at which something other than text begins, and which reader takes over behind each. A form is added here and
 * nowhere else.
 */

type Make = (cx: ReaderContext) => BodyReader

interface Opener {
  readonly mark: string
  readonly make: Make
  /** It begins a call, or a part that holds calls. */
  readonly call: boolean
}

const DEEPSEEK_CALL = '<｜tool▁call▁begin｜>'
const KIMI_CALL = '<|tool_call_begin|>'
const INVOKE_CALL = '<invoke '
const DSML_CALL = '<｜DSML｜invoke '

const DEEPSEEK: NamedForm = {
  format: 'deepseek',
  opener: DEEPSEEK_CALL,
  separators: ['<｜tool▁sep｜>'],
  closings: ['<｜tool▁call▁end｜>'],
  openings: [DEEPSEEK_CALL, '<｜tool▁calls▁end｜>'],
  named: (header) => ({ name: header.trim() === 'function' ? undefined : header.trim() }),
}

const KIMI: NamedForm = {
  format: 'kimi',
  opener: KIMI_CALL,
  separators: ['<|tool_call_argument_begin|>'],
  closings: ['<|tool_call_end|>'],
  openings: [KIMI_CALL, '<|tool_calls_section_end|>'],
  named: kimiHeader,
}

/** `functions.name:0` is the call's id, and holds its name. */
function kimiHeader(header: string): NamedHeader {
  const id = header.trim()
  return { name: id.replace(/^functions\./, '').replace(/:\d+$/, ''), id }
}

const GEMMA: GemmaForm = { opener: '<|tool_call>', quote: '<|"|>', closing: '<tool_call|>', trailing: ['<tool_call|>', '<|tool_response>'] }
const FUNCTION_GEMMA: GemmaForm = {
  opener: '<start_function_call>',
  quote: '<escape>',
  closing: '<end_function_call>',
  trailing: ['<end_function_call>', '<start_function_response>'],
}

function invokes(opener: string, closing: string, mark: string): Make {
  const form = mark === DSML_CALL ? DSML : INVOKE
  return (cx) => new Section(cx, { opener, closing, items: { [mark]: (inner) => new Elements(inner, form) } })
}

/** Drops the mark alone: layout of a chat template around plain text. */
const dropped: Make = () => ({ read: (text) => ({ type: 'done', rest: text }) })

const OPENERS: readonly Opener[] = [
  call('<tool_use>', (cx) => new JsonBody(cx, 'tool_use', ['</tool_use>'], ['<tool_use>', '<tool_call>'])),
  call('<tool_call>', (cx) => new ToolCallTag(cx)),
  call('<function=', (cx) => new Elements(cx, QWEN)),
  call('<function_calls>', (cx) => {
    const items = { [INVOKE_CALL]: (inner: ReaderContext) => new Elements(inner, INVOKE) }
    const bare: Make = (inner) => new Pythonic(inner, '', ['</function_calls>'])
    return new Section(cx, { opener: '<function_calls>', closing: '</function_calls>', items, bare })
  }),
  call('<minimax:tool_call>', invokes('<minimax:tool_call>', '</minimax:tool_call>', INVOKE_CALL)),
  call('<｜DSML｜function_calls>', invokes('<｜DSML｜function_calls>', '</｜DSML｜function_calls>', DSML_CALL)),
  call('<｜DSML｜tool_calls>', invokes('<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>', DSML_CALL)),
  call('<｜tool▁calls▁begin｜>', (cx) => {
    const items = { [DEEPSEEK_CALL]: (inner: ReaderContext) => new NamedJson(inner, DEEPSEEK) }
    return new Section(cx, { opener: '<｜tool▁calls▁begin｜>', closing: '<｜tool▁calls▁end｜>', items })
  }),
  call(DEEPSEEK_CALL, (cx) => new NamedJson(cx, { ...DEEPSEEK, trailing: ['<｜tool▁calls▁end｜>'] })),
  call('<|tool_calls_section_begin|>', (cx) => {
    const items = { [KIMI_CALL]: (inner: ReaderContext) => new NamedJson(inner, KIMI) }
    return new Section(cx, { opener: '<|tool_calls_section_begin|>', closing: '<|tool_calls_section_end|>', items })
  }),
  call(KIMI_CALL, (cx) => new NamedJson(cx, { ...KIMI, trailing: ['<|tool_calls_section_end|>'] })),
  call('<|tool_call_start|>', (cx) => new Pythonic(cx, '<|tool_call_start|>', ['<|tool_call_end|>'])),
  call('<|tool_call|>', (cx) => new JsonList(cx, 'json-list', '<|tool_call|>', ['<|/tool_call|>', '<|tool_call|>'])),
  call('<|tool_call>', (cx) => new Gemma(cx, GEMMA)),
  call('<start_function_call>', (cx) => new Gemma(cx, FUNCTION_GEMMA)),
  call('<TOOLCALL>', (cx) => new JsonList(cx, 'json-list', '<TOOLCALL>', ['</TOOLCALL>'])),
  call('<|START_ACTION|>', (cx) => new JsonList(cx, 'json-list', '<|START_ACTION|>', ['<|END_ACTION|>'])),
  call('<|python_tag|>', pythonTag),
  call('[TOOL_CALLS]', mistral),
  other('<|channel|>', (cx) => new Harmony(cx, '<|channel|>')),
  other('<|start|>', (cx) => new Harmony(cx, '<|start|>')),
  other('<|channel>', (cx) => new Thinking(cx, ['<channel|>'], 'thought\n')),
  other('[THINK]', (cx) => new Thinking(cx, ['[/THINK]'])),
  other('<|START_THINKING|>', (cx) => new Thinking(cx, ['<|END_THINKING|>'])),
  ...['<|START_RESPONSE|>', '<|END_RESPONSE|>', '<|START_TEXT|>', '<|END_TEXT|>', '<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'].map(
    (mark) => other(mark, dropped),
  ),
]

/** Marks that end thinking of which the beginning was in the prompt. */
export const THINKING_ENDS: readonly string[] = ['</think>', '[/THINK]', '<|END_THINKING|>', '<channel|>']

/** Those that count only as the first thing of a message. */
const AT_START: readonly Opener[] = [
  other('<think>', (cx) => new Thinking(cx, ['</think>'])),
  call('functools[', (cx) => {
    const list = new JsonList(cx, 'json-list', 'functools', [])
    list.read('[', false)
    return list
  }),
]

function call(mark: string, make: Make): Opener {
  return { mark, make, call: true }
}

function other(mark: string, make: Make): Opener {
  return { mark, make, call: false }
}

const MARK_BEGINNINGS = '<['
const CALL_MARKS = OPENERS.filter((opener) => opener.call).map((opener) => opener.mark)

/** The marks by their first two characters: in most text, no mark has those of a `<` or `[`. */
function byBeginning(openers: readonly Opener[]): ReadonlyMap<string, readonly Opener[]> {
  return Map.groupBy(openers, (opener) => opener.mark.slice(0, 2))
}

const ANYWHERE = byBeginning(OPENERS)
const ANYWHERE_OR_START = byBeginning([...OPENERS, ...AT_START])

/** What begins at `at`; `wait` when the text ends inside what may be one of the marks. */
export function openerAt(text: string, at: number, atStart: boolean, final: boolean): Opener | 'wait' | undefined {
  const table = atStart ? ANYWHERE_OR_START : ANYWHERE
  if (text.length - at < 2)
    return !final && (MARK_BEGINNINGS.includes(text.charAt(at)) || (atStart && text.charAt(at) === 'f')) ? 'wait' : undefined
  const openers = table.get(text.slice(at, at + 2))
  if (openers === undefined) return undefined
  for (const opener of openers) if (text.startsWith(opener.mark, at)) return opener
  if (final) return undefined
  const rest = text.length - at
  for (const { mark } of openers) if (rest < mark.length && text.endsWith(mark.slice(0, rest))) return 'wait'
  return undefined
}

/** Whether a call's mark stands at `at`. */
export function opensCall(text: string, at: number, final: boolean): boolean | 'wait' {
  for (const mark of CALL_MARKS) if (text.startsWith(mark, at)) return true
  return !final && mayBegin(text, at, CALL_MARKS) ? 'wait' : false
}

/** Whether any call's mark stands in a text. */
export function holdsCall(text: string): boolean {
  return CALL_MARKS.some((mark) => text.includes(mark))
}
