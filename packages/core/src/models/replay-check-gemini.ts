/** Owns what Gemini refuses in the `contents` of a request. */
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { NAME } from './replay-check-shared.ts'

/** The fault in words, or `undefined`. */
export function geminiFault(body: JsonObject, model: string): string | undefined {
  const contents = ownValue(body, 'contents')
  if (!Array.isArray(contents) || contents.length === 0) return 'contents is not specified'
  const turns: Turn[] = []
  for (const [at, content] of contents.entries()) {
    const turn = readTurn(content, at)
    if (typeof turn === 'string') return turn
    turns.push(turn)
  }
  const mustSign = Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3
  const current = turns.findLastIndex((turn) => turn.role === 'user' && turn.parts.some((part) => !Object.hasOwn(part, 'functionResponse')))
  for (const [at, turn] of turns.entries()) {
    const fault = turn.role === 'model' ? callsFault(turn, turns, at, mustSign && at > current) : responsesFault(turn, turns[at - 1], at)
    if (fault !== undefined) return fault
  }
  return turns[0]?.role === 'user' ? undefined : 'Please ensure that multiturn requests begin with a user turn.'
}

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonObject[]
}

function readTurn(content: JsonValue, at: number): Turn | string {
  const role = isJsonObject(content) ? ownValue(content, 'role') : undefined
  if (role !== 'user' && role !== 'model') return `contents[${at}].role: Please use a valid role: user, model.`
  const list = isJsonObject(content) ? ownValue(content, 'parts') : undefined
  const parts = Array.isArray(list) ? list.filter(isJsonObject) : []
  if (parts.length === 0) return `contents[${at}].parts: contents.parts must not be empty.`
  for (const [index, part] of parts.entries()) {
    const place = `contents[${at}].parts[${index}]`
    const kinds = ['text', 'functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode', 'codeExecutionResult']
    if (kinds.filter((kind) => Object.hasOwn(part, kind)).length !== 1)
      return `${place}.data: required oneof field 'data' must have one initialized field`
    if (ownValue(part, 'text') === '' && !Object.hasOwn(part, 'thoughtSignature')) return `${place}.text: must not be empty`
  }
  return { role, parts }
}

function callsFault(turn: Turn, turns: readonly Turn[], at: number, mustSign: boolean): string | undefined {
  const calls = named(turn, 'functionCall')
  if (named(turn, 'functionResponse').length > 0) return `contents[${at}]: a model turn can't contain functionResponse parts`
  const first = calls[0]
  if (first === undefined) return undefined
  if (turns[at - 1]?.role !== 'user')
    return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
  for (const { body } of calls) {
    const name = ownValue(body, 'name')
    if (typeof name !== 'string' || !NAME.test(name)) return `contents[${at}]: functionCall.name must match ${NAME.source}`
    if (!isJsonObject(ownValue(body, 'args') ?? {})) return `contents[${at}]: functionCall.args must be an object`
  }
  if (mustSign && typeof ownValue(first.part, 'thoughtSignature') !== 'string')
    return `Function call ${JSON.stringify(ownValue(first.body, 'name') ?? '')} in the ${at}. content block is missing a thought_signature.`
  const answers = turns[at + 1]
  return answers !== undefined && named(answers, 'functionResponse').length > 0 ? undefined : responseCountFault()
}

function responsesFault(turn: Turn, before: Turn | undefined, at: number): string | undefined {
  if (named(turn, 'functionCall').length > 0) return `contents[${at}]: a user turn can't contain functionCall parts`
  const responses = named(turn, 'functionResponse')
  if (responses.length === 0) return undefined
  const calls = before?.role === 'model' ? named(before, 'functionCall') : []
  if (calls.length !== responses.length) return responseCountFault()
  for (const [index, { body }] of responses.entries()) {
    const call = calls[index]?.body ?? {}
    for (const key of ['id', 'name']) {
      if (ownValue(body, key) !== ownValue(call, key))
        return `contents[${at}].parts[${index}].functionResponse.${key}: does not match its call`
    }
    if (!isJsonObject(ownValue(body, 'response'))) return `contents[${at}].parts[${index}].functionResponse.response: must be an object`
  }
  return undefined
}

function responseCountFault(): string {
  return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
}

function named(turn: Turn, kind: string): readonly { readonly part: JsonObject; readonly body: JsonObject }[] {
  return turn.parts.flatMap((part) => {
    const body = ownValue(part, kind)
    return isJsonObject(body) ? [{ part, body }] : []
  })
}
