/** `adjutant exec --many` for tests, decision by decision: in this process, with a folder of its own, told what comes while it comes. */
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { main } from '../src/main.ts'
import type { JsonLine } from './run-command.ts'

export interface ExecResult {
  readonly text: string
  readonly outcome: string
  readonly isError: boolean
  readonly code?: string
  readonly spill?: { readonly id: string; readonly handle: string; readonly path: string }
}

export interface ExecOptions {
  /** Of adjutant.yaml. Default: code in boxes. */
  readonly config?: string
  /** Default `allow`. */
  readonly approve?: string
  /** Absolute. Default: one of its own. */
  readonly sessionsFolder?: string
  /** Files beside the configuration, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** Told of each line of stdout as it comes. */
  readonly line?: (line: JsonLine) => void
}

export class ExecSession {
  readonly folder: string
  readonly lines: JsonLine[] = []
  readonly #stdin = new PassThrough()
  readonly #stop = new AbortController()
  readonly #answered: (() => void)[] = []
  readonly #code: Promise<number>
  #stderr = ''
  #blocks = 0

  private constructor(folder: string, options: ExecOptions) {
    this.folder = folder
    let rest = ''
    const stdout = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const texts = `${rest}${chunk.toString('utf8')}`.split('\n')
        rest = texts.pop() ?? ''
        for (const text of texts) this.#take(JSON.parse(text), options)
        done()
      },
    })
    const stderr = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#stderr += chunk.toString('utf8')
        done()
      },
    })
    const argv = ['exec', '--many', '--json', '--approve', options.approve ?? 'allow']
    const host = { stdin: this.#stdin, stdout, stderr, env: { PATH: process.env.PATH }, cwd: folder, signal: this.#stop.signal }
    this.#code = main(argv, host).finally(() => {
      for (const next of this.#answered.splice(0)) next()
    })
  }

  static async open(options: ExecOptions = {}): Promise<ExecSession> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-exec-')))
    await chmod(folder, 0o755)
    await mkdir(join(folder, 'work'))
    const config = options.config ?? 'tools: { code: true }\nloopGuard: false\n'
    const files = {
      ...options.files,
      'adjutant.yaml': `workspace: work\nsessionsFolder: ${options.sessionsFolder ?? 'sessions'}\n${config}`,
    }
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    return new ExecSession(folder, options)
  }

  get stderr(): string {
    return this.#stderr
  }

  /** One decision with one call, and what came of it. */
  call(name: string, parameters: object): Promise<ExecResult> {
    return this.#decide(name, { action: 'call_tool', tool_name: name, parameters })
  }

  /** The same as Anthropic's models write it: results in their form have pictures in them. */
  callAsBlocks(name: string, input: object): Promise<ExecResult> {
    const content = [{ type: 'tool_use', id: `toolu_${++this.#blocks}`, name, input }]
    return this.#decide(name, { id: 'msg_1', type: 'message', role: 'assistant', model: 'test', content, stop_reason: 'tool_use' })
  }

  async #decide(name: string, decision: object): Promise<ExecResult> {
    const at = this.lines.length
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answered.push(resolve)
    this.#stdin.write(`${JSON.stringify(decision)}\n`)
    await promise
    const line = this.lines.slice(at).find((one) => one.type === 'results' || Array.isArray(one.results))
    const [result] = Array.isArray(line?.results) ? line.results : []
    assert.ok(result !== undefined, `no result of ${name}: ${this.#stderr.slice(0, 1_000)}`)
    return result
  }

  bash(command: string, more: object = {}): Promise<ExecResult> {
    return this.call('bash', { command, ...more })
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#stop.abort()
  }

  /** No more decisions: gives the exit code when all has ended. */
  async end(): Promise<number> {
    this.#stdin.end()
    return this.#code
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end()
    await rm(this.folder, { recursive: true, force: true })
  }

  #take(line: JsonLine, options: ExecOptions): void {
    this.lines.push(line)
    options.line?.(line)
    if (Array.isArray(line.results)) this.#answered.shift()?.()
  }
}

/** Processes of this machine, in whatever box, whose command line has this word in it. */
export async function processesWith(word: string): Promise<readonly number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
    if (words.includes(word)) found.push(Number(name))
  }
  return found
}
