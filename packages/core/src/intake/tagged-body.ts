import type { ArgumentRepair, CallArguments } from '../contract/call.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import { argumentsOf, broken, type ParseHints, parseArguments, withRepairs } from './arguments.ts'
import { findJsonFault } from './json-fault.ts'
import { JsonScanner, skipJsonSpace } from './json-scanner.ts'
import { stringOf } from './wire.ts'

/**
 * Owns what stands between the tags of a call written as text: JSON with a name and arguments under any of their usual keys, or
 * the elements `<name>` and `<arguments>`/`<input>`/`<parameters>` with JSON inside. Pure; called once for each pair of tags.
 */

export interface TaggedCall {
  readonly id?: string
  readonly name: string
  readonly arguments: CallArguments
}

const NAME_KEYS = ['name', 'tool', 'tool_name'] as const
const INPUT_KEYS = ['arguments', 'input', 'parameters', 'params', 'args'] as const

function firstOwn(object: JsonObject, keys: readonly string[]): JsonValue | undefined {
  for (const key of keys) {
    const value = ownValue(object, key)
    if (value !== undefined) return value
  }
  return undefined
}

function fromObject(object: JsonObject, raw: string, repairs: readonly ArgumentRepair[] | undefined): TaggedCall {
  const inner = ownValue(object, 'function')
  const record = isJsonObject(inner) ? inner : object
  const name = stringOf(firstOwn(record, NAME_KEYS)) ?? stringOf(inner) ?? ''
  const id = stringOf(ownValue(object, 'id'))
  const input = firstOwn(record, INPUT_KEYS)
  // An object was looked over with the text that it stood in.
  const read = isJsonObject(input) ? ({ ok: true, value: input } as const) : argumentsOf(input)
  const args = name === '' ? broken(raw, 'the call has no tool name: "name" is missing') : read
  return { ...(id === undefined ? {} : { id }), name, arguments: withRepairs(args, repairs) }
}

interface Element {
  readonly content: string
  readonly start: number
  readonly end: number
}

/** The first of these elements. It goes on to the LAST closing tag of its name: JSON in it may hold such a tag as text. */
function element(body: string, names: readonly string[]): Element | undefined {
  for (const name of names) {
    const start = body.indexOf(`<${name}>`)
    if (start === -1) continue
    const close = body.lastIndexOf(`</${name}>`)
    if (close > start) return { content: body.slice(start + name.length + 2, close), start, end: close + name.length + 3 }
  }
  return undefined
}

function fromElements(body: string): TaggedCall {
  const input = element(body, INPUT_KEYS)
  const rest = input === undefined ? body : body.slice(0, input.start) + body.slice(input.end)
  const name = element(rest, NAME_KEYS)?.content.trim() ?? ''
  if (name === '') return { name: '', arguments: broken(body, 'the call has no tool name: <name>…</name> is missing') }
  return { name, arguments: parseArguments(input?.content ?? '') }
}

/** A name that can still be read in text that is no JSON, so that the answer to the broken call names its tool. */
function nameIn(text: string): string {
  return /"(?:name|tool|tool_name)"\s*:\s*"((?:[^"\\]|\\.){1,200})"/.exec(text)?.[1] ?? ''
}

/**
 * Reads the calls of one body; usually one. Several JSON objects after each other are several calls.
 * @param hints what a scanner has already counted, and whether a closing mark was there
 *
 * @example
 * ```ts
 * parseTaggedBody('{"name":"search","arguments":{"q":"x"}}') // [{ name: 'search', arguments: { ok: true, value: { q: 'x' } } }]
 * ```
 */
export function parseTaggedBody(body: string, hints: ParseHints = {}): readonly TaggedCall[] {
  const from = skipJsonSpace(body)
  if (body.charAt(from) === '<') return [fromElements(body)]
  if (from === body.length) return [{ name: '', arguments: broken('', 'the tags are empty: a name and arguments are missing') }]
  const whole = parseArguments(body, hints)
  if (whole.ok) return [fromObject(whole.value, body, whole.repairs)]
  const calls: TaggedCall[] = []
  for (let start = from; start < body.length; ) {
    const scanner = new JsonScanner()
    const end = scanner.scan(body, start)
    if (scanner.state === 'empty') break
    const next = skipJsonSpace(body, end)
    // What follows an object and is no further object belongs to it, and makes it broken.
    const stop = scanner.state === 'closed' && (next === body.length || body.charAt(next) === '{') ? end : body.length
    calls.push(fromText(body.slice(start, stop)))
    start = skipJsonSpace(body, stop)
  }
  return calls
}

/**
 * Reads a body that is exactly one call in right JSON; undefined when it is anything else, or not all of it is there yet.
 */
export function parseWholeBody(body: string): TaggedCall | undefined {
  const whole = parseArguments(body, { strict: true })
  return whole.ok && skipJsonSpace(body) < body.length ? fromObject(whole.value, body, whole.repairs) : undefined
}

function fromText(text: string): TaggedCall {
  const whole = parseArguments(text)
  if (whole.ok) return fromObject(whole.value, text, whole.repairs)
  const fault = findJsonFault(text)
  const problem =
    fault === undefined
      ? whole.problem.replace('the arguments are', 'the call is')
      : `the call is no JSON: at position ${fault.position} ${fault.message}`
  return { name: nameIn(text), arguments: broken(text, problem, whole.code) }
}
