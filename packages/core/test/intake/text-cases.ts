import type { JsonSchema } from '../../src/contract/index.ts'

/** Recorded cases of calls written as text: what each parser was given, and what it expects, in one shape. */

export interface TextCase {
  /** The parser's own test and the case's name. */
  readonly name: string
  readonly input: string
  /** The prompt ended inside thinking. */
  readonly thinking: boolean
  /** Undefined, here and below: the case says nothing about it. */
  readonly text: string | undefined
  readonly reasoning: string | undefined
  /** Name and arguments of each call that can be read. */
  readonly calls: readonly (readonly [string, unknown])[] | undefined
  /** What stands between the marks of calls that cannot be read. */
  readonly raws: readonly string[] | undefined
  /** The type of the one parameter: its parser converts by it, and we do so in admission. */
  readonly schema?: JsonSchema
}

/** Tests of functions inside those parsers, which have no counterpart here: searches in buffers, repairs of half a text, escapes. */
const INNER =
  /^Test(?:SplitAtTag|TrailingWhitespaceLenUnicode|FindTag|FindArguments|FindJSONEnd|Done|Content|GlimmerParser\w*|HarmonyParserStreaming|RepairGemma4\w*|Gemma4RepairCandidates|RepairGLM46XML|QwenXMLTransform|GLM46ParserFinalizes\w*)$/

/** How what one function reads stands in the whole text. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = {
  TestCogitoParser_parseToolCallContent: ['<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'],
  TestDeepSeek3Parser_parseToolCallContent: ['<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'],
  TestLFM2Parser_parseToolCallContent: ['<|tool_call_start|>', '<|tool_call_end|>'],
  TestLFM2Parser_parseToolCallsContent: ['<|tool_call_start|>', '<|tool_call_end|>'],
  TestParseOlmo3FunctionCalls: ['<function_calls>', '</function_calls>'],
  TestGemma4ArgsToJSON: ['<|tool_call>call:f', '<tool_call|>'],
  TestParseGemma4ToolCall_RepairsIssue15315Examples: ['<|tool_call>', '<tool_call|>'],
  TestParseGemma4ToolCall_RepairsMultipleProperties: ['<|tool_call>', '<tool_call|>'],
  TestQwenToolCallValueParsing: ['<function=f><parameter=p>', '</parameter></function>'],
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An empty map is written as an empty list there. */
function argumentsIn(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? {} : value
}

function callsIn(value: unknown): readonly (readonly [string, unknown])[] {
  const calls = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  return calls.filter(isFields).map((call) => {
    const record = isFields(call.Function) ? call.Function : {}
    return [word(record.Name), argumentsIn(record.Arguments)] as const
  })
}

function inputOf(test: string, given: Fields): string | undefined {
  const pieces = given.chunks ?? given.inputs ?? given.steps
  if (pieces !== undefined) {
    const texts = list(pieces).map((piece) => (isFields(piece) ? piece.input : piece))
    return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined
  }
  const text = given.input ?? (AROUND[test] === undefined ? undefined : (given.content ?? given.raw))
  if (typeof text !== 'string') return undefined
  const [before, after] = AROUND[test] ?? ['', '']
  if (before !== '' && text.startsWith(before)) return text
  return before + text + after
}

/** Whether the parser of this case begins inside thinking. */
function thinksFirst(test: string, given: Fields): boolean {
  if (/^Test(?:LFM2|GLM46|Ministral|Gemma4|Nemotron3)/.test(test)) {
    return given.think === true || isFields(given.thinkValue)
  }
  if (/^TestQwen3VLThinking/.test(test)) return !/NonThinkingPrefill/.test(test)
  if (/^Test(?:Olmo3Think)/.test(test)) return given.lastMessage === undefined
  if (/^Test(?:Cogito|DeepSeek)/.test(test))
    return given.hasThinking === true || given.hasThinkingSupport === true || word(given.expectedThinking) !== ''
  return false
}

function fromSteps(test: string, given: Fields): Expected {
  const events = list(given.steps)
    .flatMap((step) => (isFields(step) ? list(step.wantEvents) : []))
    .filter(isFields)
  // These parsers have one kind of event for text and for thinking: what comes before the end of thinking is thinking.
  const whole = list(given.steps)
    .map((step) => (isFields(step) ? word(step.input) : ''))
    .join('')
  const thinks = /GLM46|Qwen3VLThinking/.test(test) && (/^\s*<think>/.test(whole) || thinksFirst(test, given))
  const end = whole.indexOf('</think>')
  let text = ''
  let reasoning = events.map((event) => word(event.thinking)).join('')
  let seen = 0
  const thought = !thinks
    ? 0
    : end === -1
      ? whole.length
      : whole
          .slice(0, end)
          .replace(/^\s*<think>/, '')
          .replace(/\s+/g, '').length
  for (const event of events) {
    const content = word(event.content)
    const room = Math.max(0, thought - seen)
    seen += content.replace(/\s+/g, '').length
    if (room > 0) reasoning += content
    else text += content
  }
  const raws = events.flatMap((event) => (typeof event.raw === 'string' ? [event.raw] : []))
  const named = events.flatMap((event) => (typeof event.name === 'string' ? [[event.name, JSON.parse(word(event.args))] as const] : []))
  // One word between tags is a name without arguments to us.
  const isName = (raw: string): boolean => /^[A-Za-z_][\w.:/-]*$/.test(raw.trim())
  const calls = [...named, ...raws.filter(isName).map((raw) => [raw.trim(), {}] as const), ...raws.flatMap(jsonCall)]
  return { text, reasoning, calls, raws: raws.filter((raw) => !isName(raw) && jsonCall(raw).length === 0) }
}

function jsonCall(raw: string): readonly (readonly [string, unknown])[] {
  if (!raw.trim().startsWith('{')) return []
  const value: unknown = JSON.parse(raw)
  return isFields(value) ? [[word(value.name), value.arguments ?? {}] as const] : []
}

type Expected = Omit<TextCase, 'name' | 'input' | 'thinking'>

function expectedOf(test: string, given: Fields): Expected {
  if (given.steps !== undefined) return fromSteps(test, given)
  if (test === 'TestQwenToolCallValueParsing') {
    const types = list(given.paramType).filter((type) => typeof type === 'string')
    const schema = { type: 'object', properties: { p: types.length === 0 ? true : { type: types } } }
    return {
      text: '',
      reasoning: '',
      raws: undefined,
      calls: [['f', { p: types.includes('object') && !types.includes('array') ? argumentsIn(given.want) : given.want }]],
      schema,
    }
  }
  if (test === 'TestGemma4ArgsToJSON') return { text: '', reasoning: '', raws: undefined, calls: [['f', JSON.parse(word(given.expected))]] }
  const said = given.expectedContent ?? given.expectedText ?? (AROUND[test] === undefined ? given.content : undefined)
  const callKey = ['expectedToolCalls', 'expectedCalls', 'calls', 'expected', 'want'].find((key) => key in given)
  const text = typeof said === 'string' ? said : undefined
  const calls = callKey !== undefined ? callsIn(given[callKey]) : given.expectError === true ? [] : undefined
  // A parser that drops what it cannot read says nothing about it; a call that cannot be read is a call to us.
  return { text, reasoning: word(given.expectedThinking), calls, raws: undefined }
}

export function textCases(lines: string): { readonly cases: readonly TextCase[]; readonly left: number } {
  const cases: TextCase[] = []
  let left = 0
  for (const line of lines.split('\n')) {
    if (line === '') continue
    const value: unknown = JSON.parse(line)
    const test = isFields(value) ? word(value.test) : ''
    const given = isFields(value) && isFields(value.case) ? value.case : {}
    const input = INNER.test(test) ? undefined : inputOf(test, given)
    if (input === undefined) {
      left += 1
      continue
    }
    const name = `${test}: ${word(given.name ?? given.desc)}`
    cases.push({ name, input, thinking: thinksFirst(test, given), ...expectedOf(test, given) })
  }
  return { cases, left }
}

const NO_SCHEMA = 'which tools there are is no business of intake: an unknown name is refused later'
const STRING_FITS = 'where the schema allows a string, a string stays one: its form would be lost'
const DRAFT = 'a call inside thinking is a draft and no decision, where the thinking ends'
const ALL_KEPT = 'what may have been the beginning of a mark is kept at the end, not dropped'
const TOLD = 'a call that was cut off is told as one that cannot run, not dropped'

/** Cases whose expectation goes against a rule of ours, and the rule. */
export const REFUSED_TEXT_CASES: ReadonlyMap<string, string> = new Map([
  [
    'TestCogitoParser_StreamingEdgeCases: split_tool_calls_begin_tag_conservative_parsing',
    'a mark is a mark wherever the text was cut: that parser misses it only in two pieces',
  ],
  [
    'TestCogitoParser_parseToolCallContent: missing_json_block_end',
    'the closing mark is there and the arguments are whole: a forgotten fence is no reason to refuse them',
  ],
  ['TestDeepSeek3Parser_parseToolCallContent: empty_tool_name', 'a call without a name is broken'],
  ['TestDeepSeekParser_EdgeCases: partial_think_tag_at_end_with_thinking', ALL_KEPT],
  ['TestQwen3VLThinkingParserStreaming: partial thinking incomplete', ALL_KEPT],
  [
    'TestParseGemma4ToolCall_RepairsIssue15315Examples: unclosed gemma string before object close',
    'where the string ends would be a guess',
  ],
  ['TestParseGemma4ToolCall_RepairsMultipleProperties: raw_string_before_next_property', 'where the string ends would be a guess'],
  ['TestParser: json not a tool call', NO_SCHEMA],
  ['TestLFM2Parser_parseToolCallsContent: newline_in_string_arg', 'a backslash escapes in these strings, as everywhere in that notation'],
  ['TestQwenOldParserStreaming: content before tool call', TOLD],
  ['TestQwen3VLThinkingParserStreaming: nested thinking and tool call (outside tool call, inside thinking)', DRAFT],
  ['TestQwen3VLThinkingParserStreaming: interleaved thinking and tool call', DRAFT],
  ['TestQwenToolCallValueParsing: null value lowercase', STRING_FITS],
  ['TestQwenToolCallValueParsing: null value case insensitive', 'only the word null is meant as null'],
  ['TestQwenToolCallValueParsing: invalid boolean falls back to false', 'yes does not mean false'],
  ['TestQwenToolCallValueParsing: boolean or string union - valid boolean', STRING_FITS],
  ['TestQwenToolCallValueParsing: string or boolean union - valid boolean (precedence test)', STRING_FITS],
  ['TestQwenToolCallValueParsing: complex multi-type union - null', STRING_FITS],
  ['TestQwenToolCallValueParsing: complex multi-type union - number', STRING_FITS],
  ['TestQwenToolCallValueParsing: string integer union - integer string becomes integer (precedence)', STRING_FITS],
  ['TestQwenToolCallValueParsing: anyOf array or string - with array of objects', STRING_FITS],
])
