/** Places with a store, a recorded model and a tool that goes on in the background; and real processes that work there. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after } from 'node:test'
import { type RecordedRound, recording } from './recording.ts'
import { COMMAND, type CommandResult, type JsonLine, runMain } from './run-command.ts'

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>()
const folders: string[] = []
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
})

/** Waits for a file beside it where its argument says so, and ends early when it is told to. */
const TOOL = `
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
const folder = new URL('..', import.meta.url).pathname
export default {
  name: 'build',
  description: 'Builds something.',
  input: { type: 'object', properties: { what: { type: 'string' }, waits: { type: 'boolean' } }, required: ['what'] },
  effect: 'read',
  background: true,
  async execute({ what, waits }, cx) {
    if (waits) {
      await new Promise((resolve, reject) => {
        const watcher = watch(folder, () => { if (existsSync(join(folder, 'go'))) end(resolve) })
        const end = (how) => { watcher.close(); how(new Error('told to end')) }
        if (existsSync(join(folder, 'go'))) end(resolve)
        cx.signal.addEventListener('abort', () => end(reject))
      })
    }
    return 'built ' + what
  },
}
`

export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'adjutant-work-'))
  folders.push(folder)
  return folder
}

export interface Place {
  readonly base: string
  readonly store: string
  readonly desk: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workspace: string
}

export async function place(rounds: readonly RecordedRound[], { config = '', store = 'sqlite:BASE/store.db' } = {}): Promise<Place> {
  const base = await emptyFolder()
  const workspace = join(base, 'workspace')
  await mkdir(workspace)
  await mkdir(join(base, 'tools'))
  await writeFile(join(base, 'tools', 'build.mjs'), TOOL)
  await writeFile(join(base, 'talk.jsonl'), recording(rounds))
  const file = join(base, 'adjutant.yaml')
  const url = store.replace('BASE', base)
  await writeFile(file, `workspace: ./workspace\nmodel: replay:./talk.jsonl\ntools: { modules: [./tools] }\nstore: ${url}\n${config}`)
  return { base, workspace, store: url, desk: ['--config', file], env: { XDG_STATE_HOME: join(base, 'state'), ADJUTANT_REPLAY_PACE: '0' } }
}

export const command = (here: Place, ...words: readonly string[]): Promise<CommandResult> =>
  runMain([...words, ...here.desk], { env: here.env, cwd: here.base })
export const look = (here: Place, ...words: readonly string[]): Promise<CommandResult> =>
  runMain([...words, ...here.desk, '--json'], { env: here.env, cwd: here.base })

export interface Worker {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  /** The next line like this. */
  line(type: string, more?: Readonly<Record<string, unknown>>): Promise<JsonLine>
  ended(): Promise<number | null>
}

export async function worker(here: Place, ...words: readonly string[]): Promise<Worker> {
  const started = start(here, 'work', ...words)
  await started.line('ready')
  return started
}

export function start(here: Place, ...words: readonly string[]): Worker {
  const [program, ...args] = COMMAND
  const child = spawn(program, [...args, ...words, '--json', ...here.desk], {
    cwd: here.base,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...here.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const closed = once(child, 'close')
  child.once('close', () => running.delete(child))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const seen: string[] = []
  return {
    child,
    async line(type, more = {}) {
      for (;;) {
        const next = await lines.next()
        if (next.done === true) throw new Error(`no line of type ${type} came: ${said}\n${seen.join('\n')}`)
        seen.push(next.value)
        const line: JsonLine = JSON.parse(next.value)
        if (line.type === type && Object.entries(more).every(([name, value]) => line[name] === value)) return line
      }
    },
    async ended() {
      const [code] = await closed
      return code
    },
  }
}

export async function stop({ child, ended }: Worker): Promise<number | null> {
  child.kill('SIGTERM')
  return await ended()
}

export const BUILD: readonly RecordedRound[] = [
  { text: 'I build it.', calls: [['build', { what: 'it', waits: true }]] },
  { text: 'It is under way.' },
  { text: 'It is built.' },
]

/** Asks again until it is so: each time takes as long as the store needs. */
export async function until(enough: () => Promise<boolean>): Promise<void> {
  while (!(await enough())) {}
}
