/**
 * A service on the loopback interface that speaks the E2B protocol, control plane and boxes behind one address, and misbehaves as it is told.
 * What runs in its boxes runs for real. Closing it ends every box.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type E2bStubBox, plainStubBox } from './stub-box.ts'
import { StubFiles } from './stub-files.ts'
import { StubInterpreter } from './stub-interpreter.ts'
import { StubProcesses } from './stub-processes.ts'
import {
  bodyOf,
  type E2bStubFault,
  type E2bStubPlace,
  type E2bStubRequest,
  type StubRecord,
  StubRefusal,
  StubReply,
  stubJson,
  stubRecord,
  stubText,
  stubTexts,
} from './stub-reply.ts'

export interface E2bStubOptions {
  /** What a box is. Default: ordinary processes of a user that nobody is. */
  readonly box?: (id: string) => E2bStubBox | Promise<E2bStubBox>
  /** Which creations there are. Default both. */
  readonly controlPlane?: 'v1' | 'v2' | 'both'
  /** What the daemons say they are. Default `0.6.2`. */
  readonly envdVersion?: string
  /** Ways to let a box live longer that are missing. Default none. */
  readonly missing?: readonly ('timeout' | 'refreshes' | 'connect')[]
  /** Default: boxes have one. */
  readonly interpreter?: boolean
}

export interface E2bStub extends AsyncDisposable {
  /** Of the control plane and of every box. */
  readonly url: string
  readonly apiKey: string
  /** Boxes that live. */
  readonly boxes: ReadonlySet<string>
  /** All that came, in order. */
  readonly requests: readonly E2bStubRequest[]
  /** The next so many requests to this place meet it. Default 1. */
  fail(place: E2bStubPlace, fault: E2bStubFault, times?: number): void
  /** The box ends as if its time was over. */
  vanish(id: string): Promise<void>
  close(): Promise<void>
}

interface Living {
  readonly id: string
  readonly created: StubRecord
  readonly token: string
  readonly startedAt: string
  readonly box: E2bStubBox
  readonly processes: StubProcesses
  readonly files: StubFiles
  readonly interpreter: StubInterpreter
  timer: NodeJS.Timeout | undefined
  endAt: string
}

/**
 * @example
 * ```ts
 * await using stub = await startE2bStub()
 * await using backend = e2bBackend({ clock: systemClock, apiUrl: stub.url, sandboxUrl: stub.url, apiKey: stub.apiKey, workspace: 'workspace' })
 * ```
 */
export async function startE2bStub(options: E2bStubOptions = {}): Promise<E2bStub> {
  const stub = new Stub(options)
  await stub.listen()
  return stub
}

class Stub implements E2bStub {
  readonly apiKey = `e2b_${randomBytes(20).toString('hex')}`
  readonly requests: E2bStubRequest[] = []
  readonly #options: E2bStubOptions
  readonly #living = new Map<string, Living>()
  readonly #faults = new Map<E2bStubPlace, E2bStubFault[]>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #port = 0

  constructor(options: E2bStubOptions) {
    this.#options = options
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get boxes(): ReadonlySet<string> {
    return new Set(this.#living.keys())
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the stub got no port')
    this.#port = address.port
  }

  fail(place: E2bStubPlace, fault: E2bStubFault, times = 1): void {
    const faults = this.#faults.get(place) ?? []
    for (let time = 0; time < times; time += 1) faults.push(fault)
    this.#faults.set(place, faults)
  }

  async vanish(id: string): Promise<void> {
    const living = this.#living.get(id)
    if (living === undefined) return
    this.#living.delete(id)
    clearTimeout(living.timer)
    await living.box.close()
  }

  async close(): Promise<void> {
    for (const id of this.#living.keys()) await this.vanish(id)
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = new StubReply(response)
    try {
      const body = await bodyOf(request)
      const url = new URL(request.url ?? '/', this.url)
      const method = request.method ?? ''
      const place = placeOf(method, url.pathname)
      if (place === undefined) return reply.json(404, { code: 404, message: 'no such route' })
      this.requests.push({ place, method, path: `${url.pathname}${url.search}`, headers: request.headers, text: body.toString('utf8') })
      const fault = this.#faults.get(place)?.shift()
      if (fault !== undefined) {
        if ('wait' in fault) await fault.wait
        else if ('cut' in fault) reply.cutAfter(fault.cut)
        else {
          const retry: Record<string, string> = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }
          if (fault.done === true) await this.#answer(place, request, url, body, new StubReply(undefined))
          return reply.json(fault.status, { code: fault.status, message: fault.message ?? 'on purpose' }, retry)
        }
      }
      await this.#answer(place, request, url, body, reply)
    } catch (error) {
      reply.refuse(error)
    }
  }

  async #answer(place: E2bStubPlace, request: IncomingMessage, url: URL, body: Buffer, reply: StubReply): Promise<void> {
    switch (place) {
      case 'create':
      case 'get':
      case 'list':
      case 'delete':
      case 'extend':
        if (request.headers['x-api-key'] !== this.apiKey) return reply.json(401, { code: 401, message: 'Invalid API key' })
        return this.#control(place, url, body, reply)
      case 'start':
      case 'process':
      case 'filesystem':
      case 'read':
      case 'write':
      case 'execute':
      case 'contexts':
        return this.#inBox(place, request, url, body, reply)
      default:
        return place satisfies never
    }
  }

  async #control(place: 'create' | 'get' | 'list' | 'delete' | 'extend', url: URL, body: Buffer, reply: StubReply): Promise<void> {
    if (place === 'create') return this.#create(url.pathname.startsWith('/v2/'), stubJson(body), reply)
    if (place === 'list') {
      // Pairs are encoded by themselves before they become a query.
      const wanted = [...new URLSearchParams(url.searchParams.get('metadata') ?? '')].map((pair) => pair.map(decodeURIComponent))
      const found = [...this.#living.values()].filter(({ created }) =>
        wanted.every(([key = '', value]) => stubTexts(created.metadata)[key] === value),
      )
      return reply.json(200, found.map(infoOf))
    }
    const [id = '', way = ''] = url.pathname.replace(/^(\/v2)?\/sandboxes\//, '').split('/')
    const living = this.#living.get(id)
    if (place === 'extend' && this.#options.missing?.some((one) => one === way) === true)
      return reply.json(404, { code: 404, message: 'no such route' })
    if (living === undefined) return reply.json(404, { code: 404, message: `sandbox "${id}" doesn't exist` })
    if (place === 'get') return reply.json(200, infoOf(living))
    if (place === 'delete') {
      await this.vanish(id)
      return reply.bytes(204, Buffer.alloc(0))
    }
    const wish = stubJson(body)
    this.#live(living, Number(wish.timeout ?? wish.duration ?? 300))
    if (way === 'connect') return reply.json(200, this.#madeOf(living))
    return reply.bytes(204, Buffer.alloc(0))
  }

  async #create(second: boolean, created: StubRecord, reply: StubReply): Promise<void> {
    const planes = this.#options.controlPlane ?? 'both'
    if (planes !== 'both' && (planes === 'v2') !== second) return reply.json(404, { code: 404, message: 'no such route' })
    if (stubText(created.templateID) === undefined) return reply.json(400, { code: 400, message: 'templateID is missing' })
    const id = `i${randomBytes(9).toString('hex')}`
    const box = await (this.#options.box ?? plainStubBox)(id)
    const startedAt = new Date().toISOString()
    const living: Living = {
      id,
      created,
      token: randomBytes(16).toString('hex'),
      startedAt,
      box,
      processes: new StubProcesses(box),
      files: new StubFiles(box),
      interpreter: new StubInterpreter(box),
      timer: undefined,
      endAt: startedAt,
    }
    this.#living.set(id, living)
    this.#live(living, Number(created.timeout ?? 300))
    reply.json(201, this.#madeOf(living))
  }

  async #inBox(place: E2bStubPlace, request: IncomingMessage, url: URL, body: Buffer, reply: StubReply): Promise<void> {
    const id = String(request.headers['e2b-sandbox-id'] ?? '')
    const living = this.#living.get(id)
    if (living === undefined) return reply.json(502, { sandboxId: id, message: 'The sandbox was not found', code: 502 })
    const interpreting = place === 'execute' || place === 'contexts'
    if (interpreting && (this.#options.interpreter === false || request.headers['e2b-sandbox-port'] !== '49999')) {
      return reply.json(502, { sandboxId: id, message: 'The sandbox is running but port is not open', code: 502 })
    }
    // Contexts are made without it by the service's own client.
    if (place !== 'contexts' && request.headers['x-access-token'] !== living.token) {
      return reply.json(401, { code: 401, message: 'invalid access token' })
    }
    const method = url.pathname.split('/').at(-1) ?? ''
    switch (place) {
      case 'start':
        return living.processes.start(body, Number(request.headers['connect-timeout-ms'] ?? 0), reply)
      case 'process':
        return reply.json(200, await living.processes.call(method, stubJson(body)))
      case 'filesystem':
        return reply.json(200, await living.files.call(method, stubJson(body)))
      case 'read':
        return reply.bytes(200, await living.files.read(url.searchParams.get('path') ?? ''), { 'content-type': 'application/octet-stream' })
      case 'write':
        return reply.json(
          200,
          await living.files.write(url.searchParams.get('path') ?? undefined, String(request.headers['content-type'] ?? ''), body),
        )
      case 'execute':
        return living.interpreter.execute(stubJson(body), reply)
      case 'contexts':
        if (request.method === 'GET') return reply.json(200, living.interpreter.list())
        if (request.method === 'POST') return reply.json(200, living.interpreter.create(stubJson(body)))
        living.interpreter.remove(method)
        return reply.bytes(204, Buffer.alloc(0))
      default:
        throw new StubRefusal('unimplemented', place)
    }
  }

  #live(living: Living, seconds: number): void {
    clearTimeout(living.timer)
    const ms = Math.min(seconds * 1_000, 2 ** 31 - 1)
    living.endAt = new Date(Date.now() + ms).toISOString()
    living.timer = setTimeout(() => void this.vanish(living.id), ms)
    living.timer.unref()
  }

  #madeOf(living: Living): object {
    return {
      sandboxID: living.id,
      templateID: stubText(living.created.templateID),
      clientID: 'stub',
      envdVersion: this.#options.envdVersion ?? '0.6.2',
      envdAccessToken: living.token,
      domain: null,
    }
  }
}

function infoOf(living: Living): object {
  return {
    sandboxID: living.id,
    templateID: stubText(living.created.templateID),
    clientID: 'stub',
    metadata: stubRecord(living.created.metadata),
    startedAt: living.startedAt,
    endAt: living.endAt,
    state: 'running',
    cpuCount: 1,
    memoryMB: 512,
    diskSizeMB: 512,
    envdVersion: '0.6.2',
  }
}

function placeOf(method: string, path: string): E2bStubPlace | undefined {
  if (/^(\/v2)?\/sandboxes$/.test(path)) return method === 'POST' ? 'create' : 'list'
  if (/^(\/v2)?\/sandboxes\/[^/]+\/(timeout|refreshes|connect)$/.test(path)) return 'extend'
  if (/^\/sandboxes\/[^/]+$/.test(path)) return method === 'DELETE' ? 'delete' : 'get'
  if (path === '/process.Process/Start') return 'start'
  if (path.startsWith('/process.Process/')) return 'process'
  if (path.startsWith('/filesystem.Filesystem/')) return 'filesystem'
  if (path === '/files') return method === 'GET' ? 'read' : 'write'
  if (path === '/execute') return 'execute'
  return /^\/contexts(\/[^/]+)?$/.test(path) ? 'contexts' : undefined
}
