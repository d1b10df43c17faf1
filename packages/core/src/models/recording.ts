/**
 * Owns the recording format: JSON lines, the first a header, then one line per answer of the provider exactly as it came over the
 * wire, and at most one line with a person's answers to held calls.
 *
 * ```json
 * {"adjutant":"recording","version":1,"dialect":"openai-chat","model":"gpt-5"}
 * {"status":200,"headers":{"content-type":"text/event-stream"},"chunks":["data: {…}\n\n"],"paceMs":20}
 * {"approvals":[{"tool":"write_file","answer":"deny","reason":"not that file"},{"tool":"write_file","answer":"approve"}]}
 * ```
 *
 * A chunk is text, or `{"base64":"…"}` where the bytes are no text by themselves. `"body"` instead of `"chunks"` is a body that came
 * in one piece. Refuses, with the line number, whatever is not this: a replay must not differ from its recording by a typing error.
 */
import { readFile } from 'node:fs/promises'
import { AdjutantError } from '../contract/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../contract/json.ts'
import type { ApprovalDecision } from '../contract/ports.ts'
import type { RecordedAnswer } from './recorded-answers.ts'

const RECORDING_VERSION = 1

const RECORDING_DIALECTS = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const

/** The wires of which there are recordings. */
export type RecordingDialect = (typeof RECORDING_DIALECTS)[number]

/** One answer of a provider, byte for byte. */
export interface RecordedReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly chunks: readonly Uint8Array[]
  /** Milliseconds between two chunks. */
  readonly paceMs: number
  /** Where it stands in the file, 1-based. */
  readonly line: number
}

export interface Recording {
  readonly dialect: RecordingDialect
  readonly model: string
  readonly replies: readonly RecordedReply[]
  readonly approvals: readonly RecordedAnswer[]
}

/** @throws AdjutantError CONFIG_INVALID when the file cannot be read or is no recording, naming file and line */
export async function readRecording(file: string): Promise<Recording> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (cause) {
    const reason = cause instanceof TypeError ? 'it is not UTF-8 text' : cause instanceof Error ? cause.message : String(cause)
    throw new AdjutantError('CONFIG_INVALID', `cannot read the recording ${file}: ${reason}`, {
      hint: 'Name a recording: replay:FILE.',
      cause,
    })
  }
  return parseRecording(text, file)
}

/** @throws AdjutantError CONFIG_INVALID, naming file and line */
export function parseRecording(text: string, file: string): Recording {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first < 0) throw new Place(file, 1).wrong('the file is empty')
  const header = readHeader(lines[first] ?? '', new Place(file, first + 1))
  const replies: RecordedReply[] = []
  let approvals: readonly RecordedAnswer[] | undefined
  for (let at = first + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const place = new Place(file, at + 1)
    const entry = objectIn(line, place)
    if (!Object.hasOwn(entry, 'approvals')) replies.push(readReply(entry, place))
    else if (approvals === undefined) approvals = readApprovals(entry, place)
    else throw place.wrong('a second line with "approvals"')
  }
  if (replies.length === 0) throw new Place(file, lines.length).wrong('the recording has no answer')
  return { ...header, replies, approvals: approvals ?? [] }
}

/** A line of a file, for messages. */
class Place {
  readonly #file: string
  readonly line: number
  constructor(file: string, line: number) {
    this.#file = file
    this.line = line
  }
  wrong(what: string): AdjutantError {
    return new AdjutantError('CONFIG_INVALID', `${this.#file}:${this.line}: ${what}`, { hint: 'Correct the recording at this line.' })
  }
}

function objectIn(line: string, place: Place): JsonObject {
  let value: JsonValue
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw place.wrong(`not JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
  if (!isJsonObject(value)) throw place.wrong('not a JSON object')
  return value
}

function onlyKeys(object: JsonObject, allowed: readonly string[], what: string, place: Place): void {
  for (const key of Object.keys(object)) {
    if (!allowed.includes(key)) throw place.wrong(`${what} has no member "${key.slice(0, 40)}" (it has ${allowed.join(', ')})`)
  }
}

function readHeader(line: string, place: Place): Pick<Recording, 'dialect' | 'model'> {
  const header = objectIn(line, place)
  if (ownValue(header, 'adjutant') !== 'recording') throw place.wrong('no recording: the first line must begin {"adjutant":"recording",…}')
  onlyKeys(header, ['adjutant', 'version', 'dialect', 'model'], 'the header', place)
  const version = ownValue(header, 'version')
  if (version !== RECORDING_VERSION) {
    throw place.wrong(
      `version ${JSON.stringify(version ?? null)} of the format is not known; this Adjutant reads version ${RECORDING_VERSION}`,
    )
  }
  const dialect = RECORDING_DIALECTS.find((known) => known === ownValue(header, 'dialect'))
  if (dialect === undefined) throw place.wrong(`"dialect" must be one of ${RECORDING_DIALECTS.join(', ')}`)
  const model = ownValue(header, 'model')
  if (typeof model !== 'string' || model.trim() === '') throw place.wrong('"model" must be the name of the model')
  return { dialect, model }
}

function readReply(entry: JsonObject, place: Place): RecordedReply {
  onlyKeys(entry, ['status', 'headers', 'chunks', 'body', 'paceMs'], 'an answer', place)
  const status = ownValue(entry, 'status') ?? 200
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    throw place.wrong('"status" must be 200 … 599')
  const paceMs = ownValue(entry, 'paceMs') ?? 0
  if (typeof paceMs !== 'number' || !(paceMs >= 0 && paceMs <= 60_000)) throw place.wrong('"paceMs" must be 0 … 60000')
  const chunks = ownValue(entry, 'chunks')
  const body = ownValue(entry, 'body')
  if ((chunks === undefined) === (body === undefined)) throw place.wrong('an answer has either "chunks" or "body"')
  if (body !== undefined && typeof body !== 'string') throw place.wrong('"body" must be text')
  if (chunks !== undefined && !Array.isArray(chunks)) throw place.wrong('"chunks" must be a list')
  const parts: readonly JsonValue[] = body === undefined ? (Array.isArray(chunks) ? chunks : []) : [body]
  return {
    status,
    headers: readHeaders(ownValue(entry, 'headers') ?? {}, body !== undefined, place),
    chunks: parts.map((part, at) => bytesOf(part, at, place)),
    paceMs,
    line: place.line,
  }
}

function readHeaders(value: JsonValue, whole: boolean, place: Place): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) throw place.wrong('"headers" must be an object')
  const headers: Record<string, string> = {}
  for (const [name, content] of Object.entries(value)) {
    if (typeof content !== 'string' || !/^[\w-]+$/.test(name) || /[^\t\x20-\x7e]/.test(content)) {
      throw place.wrong(`header "${name.slice(0, 40)}" cannot be sent as it is`)
    }
    headers[name.toLowerCase()] = content
  }
  // The server frames the body itself; a recorded length or encoding would describe another one.
  for (const name of ['content-length', 'transfer-encoding', 'content-encoding', 'connection']) delete headers[name]
  headers['content-type'] ??= whole ? 'application/json' : 'text/event-stream'
  return headers
}

function bytesOf(part: JsonValue, at: number, place: Place): Uint8Array {
  if (typeof part === 'string') return new TextEncoder().encode(part)
  const base64 = isJsonObject(part) ? ownValue(part, 'base64') : undefined
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64))
    throw place.wrong(`chunk ${at} is neither text nor {"base64":"…"}`)
  return Buffer.from(base64, 'base64')
}

function readApprovals(entry: JsonObject, place: Place): readonly RecordedAnswer[] {
  onlyKeys(entry, ['approvals'], 'a line with approvals', place)
  const list = ownValue(entry, 'approvals')
  if (!Array.isArray(list)) throw place.wrong('"approvals" must be a list')
  return list.map((item: JsonValue, at) => {
    if (!isJsonObject(item)) throw place.wrong(`approval ${at} is not an object`)
    const tool = ownValue(item, 'tool')
    if (typeof tool !== 'string' || tool === '') throw place.wrong(`approval ${at} does not name its "tool"`)
    return { tool, decision: readDecision(item, at, place) }
  })
}

function readDecision(item: JsonObject, at: number, place: Place): ApprovalDecision {
  const answer = ownValue(item, 'answer')
  const what = `approval ${at}`
  switch (answer) {
    case 'approve': {
      onlyKeys(item, ['tool', 'answer', 'scope'], what, place)
      const scope = ownValue(item, 'scope') ?? 'once'
      if (scope !== 'once' && scope !== 'call' && scope !== 'tool') throw place.wrong(`${what}: "scope" must be once, call or tool`)
      return { type: 'approve', scope }
    }
    case 'edit': {
      onlyKeys(item, ['tool', 'answer', 'input'], what, place)
      const input = ownValue(item, 'input')
      if (!isJsonObject(input)) throw place.wrong(`${what}: "input" must be an object`)
      return { type: 'edit', input }
    }
    case 'deny': {
      onlyKeys(item, ['tool', 'answer', 'reason'], what, place)
      const reason = ownValue(item, 'reason')
      if (reason !== undefined && typeof reason !== 'string') throw place.wrong(`${what}: "reason" must be text`)
      return reason === undefined ? { type: 'deny', by: 'person' } : { type: 'deny', by: 'person', reason }
    }
    default:
      throw place.wrong(`${what}: "answer" must be approve, edit or deny`)
  }
}
