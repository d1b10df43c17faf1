/**
 * Owns the code interpreter of one box of the stub: contexts, each a process that keeps its variables, and code that runs in them one after the
 * other, with events line by line. A client that leaves ends nothing.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { E2bStubBox } from './stub-box.ts'
import { type StubRecord, StubRefusal, type StubReply, stubJson, stubText, stubTexts } from './stub-reply.ts'

const PYTHON_KERNEL = `
import ast, io, json, os, sys, traceback
requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
events = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
os.dup2(2, 1)
def say(**event):
    events.write(json.dumps(event) + "\\n")
    events.flush()
class Stream(io.TextIOBase):
    def __init__(self, kind): self.kind = kind
    def writable(self): return True
    def write(self, text):
        if text: say(type=self.kind, text=text)
        return len(text)
sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
names = {"__name__": "__main__"}
for count, line in enumerate(requests, 1):
    request = json.loads(line)
    say(type="number_of_executions", execution_count=count)
    before = dict(os.environ)
    os.environ.update(request["env"])
    try:
        tree = ast.parse(request["code"])
        last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(last, "<cell>", "eval"), names)
            if value is not None: say(type="result", text=repr(value), is_main_result=True)
    except BaseException as error:
        say(type="error", name=type(error).__name__, value=str(error), traceback=traceback.format_exc())
    os.environ.clear()
    os.environ.update(before)
    say(type="end")
`

const NODE_KERNEL = `
const { createInterface } = require('node:readline')
const { format } = require('node:util')
const vm = require('node:vm')
const write = process.stdout.write.bind(process.stdout)
const say = (event) => write(JSON.stringify(event) + '\\n')
process.stdout.write = (text) => say({ type: 'stdout', text: String(text) })
process.stderr.write = (text) => say({ type: 'stderr', text: String(text) })
console.log = console.info = (...words) => say({ type: 'stdout', text: format(...words) + '\\n' })
console.error = console.warn = (...words) => say({ type: 'stderr', text: format(...words) + '\\n' })
globalThis.require = require
let count = 0
let turn = Promise.resolve()
createInterface({ input: process.stdin }).on('line', (line) => {
  turn = turn.then(async () => {
    const { code, env } = JSON.parse(line)
    say({ type: 'number_of_executions', execution_count: ++count })
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      const value = await vm.runInThisContext(code)
      if (value !== undefined) say({ type: 'result', text: format(value), is_main_result: true })
    } catch (error) {
      say({ type: 'error', name: error?.name ?? 'Error', value: String(error?.message ?? error), traceback: String(error?.stack ?? error) })
    }
    for (const name of Object.keys(env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
    say({ type: 'end' })
  })
})
`

const KERNELS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  python: ['/usr/bin/python3', '-c', PYTHON_KERNEL],
  javascript: ['node', '-e', NODE_KERNEL],
}

export class StubInterpreter {
  readonly #box: E2bStubBox
  readonly #kernels = new Map<string, Kernel>()
  readonly #defaults = new Map<string, string>()

  constructor(box: E2bStubBox) {
    this.#box = box
  }

  create(message: StubRecord): object {
    const language = stubText(message.language) ?? 'python'
    const cwd = stubText(message.cwd) ?? '.'
    const kernel = KERNELS[language]
    if (kernel === undefined) throw new StubRefusal('invalid_argument', `language ${language} is not known`)
    const id = randomUUID()
    this.#kernels.set(id, new Kernel(this.#box.run(kernel, { cwd, env: {}, stdin: 'pipe' }), language, cwd))
    return { id, language, cwd }
  }

  list(): readonly object[] {
    return [...this.#kernels].map(([id, { language, cwd }]) => ({ id, language, cwd }))
  }

  remove(id: string): void {
    const kernel = this.#kernels.get(id)
    if (kernel === undefined) throw new StubRefusal('not_found', `Context ${id} not found`)
    this.#kernels.delete(id)
    kernel.end()
  }

  async execute(message: StubRecord, reply: StubReply): Promise<void> {
    const kernel = this.#kernels.get(stubText(message.context_id) ?? this.#default(stubText(message.language) ?? 'python'))
    if (kernel === undefined) throw new StubRefusal('not_found', `Context ${String(message.context_id)} not found`)
    reply.begin('application/x-ndjson')
    await kernel.execute(stubText(message.code) ?? '', stubTexts(message.env_vars), (line) => reply.write(Buffer.from(`${line}\n`)))
    reply.end()
  }

  #default(language: string): string {
    const known = this.#defaults.get(language)
    if (known !== undefined && this.#kernels.has(known)) return known
    const id = stubText(stubJson(Buffer.from(JSON.stringify(this.create({ language })))).id) ?? ''
    this.#defaults.set(language, id)
    return id
  }
}

class Kernel {
  readonly language: string
  readonly cwd: string
  readonly #child: ChildProcess
  #turn: Promise<unknown> = Promise.resolve()
  #take: (line: string | undefined) => void = () => undefined
  #ended = false

  constructor(child: ChildProcess, language: string, cwd: string) {
    this.#child = child
    this.language = language
    this.cwd = cwd
    child.stdin?.on('error', () => undefined)
    child.on('error', () => this.#over())
    child.on('close', () => this.#over())
    // What programs that it starts say.
    child.stderr?.on('data', (bytes: Buffer) => this.#take(JSON.stringify({ type: 'stderr', text: bytes.toString('utf8') })))
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.#take(line))
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }

  execute(code: string, env: Readonly<Record<string, string>>, take: (line: string) => Promise<void>): Promise<void> {
    const result = this.#turn.then(() => this.#cell(code, env, take))
    this.#turn = result.catch(() => undefined)
    return result
  }

  async #cell(code: string, env: Readonly<Record<string, string>>, take: (line: string) => Promise<void>): Promise<void> {
    let sent: Promise<unknown> = Promise.resolve()
    await new Promise<void>((resolve) => {
      this.#take = (line) => {
        if (line === '{"type":"end"}' || line === '{"type": "end"}') return resolve()
        sent = sent.then(() => take(line ?? '{"type":"unexpected_end_of_execution"}'))
        if (line === undefined) resolve()
      }
      if (this.#ended) this.#take(undefined)
      else this.#child.stdin?.write(`${JSON.stringify({ code, env })}\n`)
    })
    this.#take = () => undefined
    await sent
  }

  #over(): void {
    this.#ended = true
    this.#take(undefined)
  }
}
