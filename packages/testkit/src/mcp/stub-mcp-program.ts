/** The program behind `stubMcpServer`: see there for what it does. */
import { createInterface } from 'node:readline'
import type { JsonObject, JsonValue } from '@adjutant/core/contract'

// Started as it is, from sources and from the build alike, it can import nothing of the house but types.
function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A command line takes no long text: `{"$repeat":["x",1000]}` stands for one. */
function expand(_: string, value: unknown): unknown {
  if (!isJsonObject(value) || !Array.isArray(value.$repeat)) return value
  const [text, count] = value.$repeat
  return String(text).repeat(Number(count))
}

const given: unknown = JSON.parse(process.argv[2] ?? '{}', expand)
/** What differs between two starts of one command line. */
const instead: unknown = JSON.parse(process.env.STUB_MCP_INSTEAD ?? '{}', expand)
const behaviour: JsonObject = { ...(isJsonObject(given) ? given : {}), ...(isJsonObject(instead) ? instead : {}) }

const SCHEMA = { type: 'object' }
const READERS = ['slow', 'tick', 'finish', 'cancelled', 'executions', 'image', 'long', 'flood', 'pid']
const WRITERS = ['die', 'refuse', 'failing', 'malformed', 'wait']
const OWN_TOOLS: readonly JsonObject[] = [
  { name: 'echo', description: 'Gives its arguments back.', inputSchema: SCHEMA },
  ...READERS.map((name) => ({ name, inputSchema: SCHEMA, annotations: { readOnlyHint: true } })),
  ...WRITERS.map((name) => ({ name, inputSchema: SCHEMA })),
]
/** What a server with `more` has beside: it asks its client, changes its tools, and declares what it gives. */
const MORE_TOOLS: readonly JsonObject[] = [
  ...['ask', 'roots', 'sample', 'grow', 'visit', 'unsubscribe'].map((name) => ({ name, inputSchema: SCHEMA })),
  {
    name: 'shaped',
    inputSchema: SCHEMA,
    outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    annotations: { readOnlyHint: true },
  },
]
/** A picture's worth of base64. */
const IMAGE = Buffer.alloc(600).toString('base64')

interface SlowCall {
  readonly id: JsonValue
  readonly token: JsonValue | undefined
}

const grown: JsonObject[] = []
const pages = Array.isArray(behaviour.pages) ? behaviour.pages : [behaviour.more === true ? [...OWN_TOOLS, ...MORE_TOOLS] : OWN_TOOLS]
/** What this server asked its client, and the calls that wait for it. */
const questions = new Map<JsonValue, JsonValue>()
let asked = 0
const reasons: string[] = []
let newer = false
let executions = 0
let listings = 0
let subscription: JsonValue | undefined
let ticks = 0
let slow: SlowCall | undefined

for (const line of textsOf(behaviour.print)) process.stdout.write(`${line}\n`)
for (const line of textsOf(behaviour.complain)) process.stderr.write(`${line}\n`)
if (typeof behaviour.exit === 'number') process.exit(behaviour.exit)
if (behaviour.ignoreTerm === true) process.on('SIGTERM', () => {})
if (behaviour.ignoreEnd === true) setInterval(() => {}, 60_000)

// As many a real server does: it also splits at U+2028 and U+2029, so a client that sends those as they are breaks it.
createInterface({ input: process.stdin }).on('line', (line) => {
  const message: unknown = JSON.parse(line)
  if (isJsonObject(message)) receive(message)
})

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function receive(message: JsonObject): void {
  const { method, id, params } = message
  if (method === undefined && id !== undefined) {
    const call = questions.get(id)
    if (call !== undefined) text(call, JSON.stringify(message.result ?? message.error))
    return
  }
  const fields = params !== undefined && isJsonObject(params) ? params : {}
  if (method === 'notifications/cancelled') reasons.push(String(fields.reason))
  if (id === undefined) return
  if (method === 'server/discover') discover(id)
  else if (method === 'initialize') initialize(id, fields)
  else if (method === 'tools/list') list(id, fields)
  else if (method === 'subscriptions/listen' && behaviour.announce === true) {
    subscription = id
    told('notifications/subscriptions/acknowledged', { notifications: fields.notifications ?? {} })
  } else if (method === 'tools/call') call(id, fields)
  else refuse(id, -32601, `Method not found: ${String(method)}`)
}

function discover(id: JsonValue): void {
  if (behaviour.discover === 'silent') return
  if (behaviour.discover === 'exit') process.exit(7)
  if (behaviour.discover === 'answer') {
    newer = true
    const tools = behaviour.announce === true ? { listChanged: true } : {}
    answer(id, { supportedVersions: ['2026-07-28'], capabilities: { tools }, ttlMs: 0, cacheScope: 'private' })
  } else refuse(id, -32601, 'Method not found: server/discover')
}

function initialize(id: JsonValue, { protocolVersion }: JsonObject): void {
  if (behaviour.initialize === 'silent') return
  if (behaviour.initialize === 'refuse') refuse(id, -32602, 'this server wants more than it was given')
  else {
    const serverInfo = { name: behaviour.selfName ?? 'stub', version: '1' }
    answer(id, { protocolVersion: protocolVersion ?? '', capabilities: { tools: {} }, serverInfo })
  }
}

function list(id: JsonValue, { cursor }: JsonObject): void {
  const index = cursor === undefined || behaviour.nextCursor !== undefined ? 0 : Number(cursor)
  const next = behaviour.nextCursor ?? (index + 1 < pages.length ? String(index + 1) : undefined)
  const page = pages[index]
  const tools = behaviour.list === 'wrong' ? 'no list' : [...(Array.isArray(page) ? page : []), ...grown]
  answer(id, { tools, ...(next === undefined ? {} : { nextCursor: next }), ...(newer ? { ttlMs: 0, cacheScope: 'private' } : {}) })
  listings++
  if (behaviour.restless === true) grow()
}

function grow(): void {
  grown.push({ name: `grown${grown.length + 1}`, inputSchema: SCHEMA })
  if (behaviour.announce !== true) send({ method: 'notifications/tools/list_changed' })
  else if (subscription !== undefined) told('notifications/tools/list_changed', {})
}

/** To those only who asked to be told. */
function told(method: string, params: JsonObject): void {
  send({ method, params: { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': subscription ?? null } } })
}

/** Asks the client: in the older protocol by a request of its own, in the newer by an answer that wants the call again. */
function ask(id: JsonValue, method: string, params: JsonObject, responses: JsonValue | undefined): void {
  if (!newer) {
    const question = `question-${++asked}`
    questions.set(question, id)
    send({ id: question, method, params })
  } else if (responses !== undefined) text(id, JSON.stringify(isJsonObject(responses) ? responses.it : responses))
  else send({ id, result: { resultType: 'input_required', inputRequests: { it: { method, params } }, requestState: 'kept' } })
}

function call(id: JsonValue, { name, arguments: input = {}, _meta, inputResponses }: JsonObject): void {
  const fields = isJsonObject(input) ? input : {}
  switch (name) {
    case 'ask':
      ask(id, 'elicitation/create', fields, inputResponses)
      break
    case 'roots':
      ask(id, 'roots/list', {}, inputResponses)
      break
    case 'sample':
      ask(id, 'sampling/createMessage', { messages: [], maxTokens: 1 }, inputResponses)
      break
    case 'visit':
      send({
        id,
        error: {
          code: -32042,
          message: 'first go there',
          data: { elicitations: [{ mode: 'url', elicitationId: 'e', message: 'Go', ...fields }] },
        },
      })
      break
    case 'unsubscribe':
      if (subscription !== undefined) send({ method: 'notifications/cancelled', params: { requestId: subscription } })
      subscription = undefined
      text(id, 'ok')
      break
    case 'grow':
      grow()
      text(id, 'ok')
      break
    case 'listings':
      text(id, String(listings))
      break
    case 'shaped':
      answer(id, { content: [], ...(fields.value === undefined ? {} : { structuredContent: fields.value }) })
      break
    case 'echo':
      executions++
      text(id, JSON.stringify(input))
      break
    case 'executions':
      text(id, String(executions))
      break
    case 'slow':
      slow = { id, token: _meta !== undefined && isJsonObject(_meta) ? _meta.progressToken : undefined }
      break
    case 'wait':
      break
    case 'tick':
      tick(id)
      break
    case 'finish':
      if (slow !== undefined) text(slow.id, 'finished at last')
      text(id, slow === undefined ? 'nothing to finish' : 'ok')
      break
    case 'cancelled':
      text(id, JSON.stringify(reasons))
      break
    case 'pid':
      text(id, String(process.pid))
      break
    case 'image':
      image(id)
      break
    case 'long':
      text(id, 'x'.repeat(isJsonObject(input) ? Number(input.size) : 0))
      break
    case 'flood':
      process.stderr.write(`${'noise '.repeat(50_000)}\nthe end of the noise\n`, () => text(id, 'ok'))
      break
    case 'die':
      process.stderr.write('cannot go on\n', () => process.exit(9))
      break
    case 'refuse':
      refuse(id, -32602, 'those arguments will not do')
      break
    case 'failing':
      answer(id, { content: [{ type: 'text', text: 'the disk is full' }], isError: true })
      break
    case 'malformed':
      answer(id, { content: 'no list' })
      break
    default:
      text(id, `called ${String(name)}`)
  }
}

function tick(id: JsonValue): void {
  ticks++
  if (slow?.token !== undefined) {
    send({ method: 'notifications/progress', params: { progressToken: slow.token, progress: ticks, total: 9, message: `tick ${ticks}` } })
  }
  text(id, String(ticks))
}

function image(id: JsonValue): void {
  answer(id, {
    content: [{ type: 'image', mimeType: 'image/png', data: IMAGE }],
    structuredContent: { picture: { url: `data:image/png;base64,${IMAGE}`, data: IMAGE, width: 20 } },
  })
}

function text(id: JsonValue, value: string): void {
  answer(id, { content: [{ type: 'text', text: value }] })
}

function answer(id: JsonValue, result: JsonObject): void {
  send({ id, result: newer ? { resultType: 'complete', ...result } : result })
}

function refuse(id: JsonValue, code: number, message: string): void {
  send({ id, error: { code, message } })
}

function send(message: JsonObject): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
