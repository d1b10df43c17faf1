/** Savers of another system, on the same two databases: each step keeps the whole state. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type BaseCheckpointSaver, emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'

const SQLITE = '@langchain/langgraph-checkpoint-sqlite'
const SQLITE_PACKAGE = {
  name: 'bench-peers',
  private: true,
  dependencies: { [SQLITE]: '1.0.4', '@langchain/core': '1.4.0', '@langchain/langgraph-checkpoint': '1.2.2' },
  // The version that it asks for by itself has to be built for each Node, and what comes of it ends the process when it collects statements.
  overrides: { 'better-sqlite3': '13.2.0' },
}
const PEERS = join(import.meta.dirname, '.peers')
const BUILD_MS = 400_000
const run = promisify(execFile)

export interface Saver {
  readonly name: string
  /** Keeps one more step of this conversation: the whole of it. */
  put(thread: string, state: Readonly<Record<string, unknown>>): Promise<void>
  /** The latest state. */
  get(thread: string): Promise<unknown>
  close(): Promise<void>
}

/** @returns one line with the reason where it cannot be had */
export async function sqliteSaver(file: string): Promise<Saver | string> {
  try {
    await installed()
    const found = createRequire(join(PEERS, 'package.json')).resolve(SQLITE)
    // The copy of its own `require` condition is CommonJS; the module beside it is what the others use as well.
    const module: unknown = await import(pathToFileURL(found.replace(/\.cjs$/, '.js')).href)
    const saver = fromConnString(module, file)
    return saverOf('LangGraph SqliteSaver 1.0.4', saver, async () => {})
  } catch (error) {
    return `SqliteSaver cannot be had here: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
}

export async function postgresSaver(url: string): Promise<Saver> {
  const saver = PostgresSaver.fromConnString(url, { schema: 'peer' })
  await saver.setup()
  return saverOf('LangGraph PostgresSaver 1.0.5', saver, () => saver.end())
}

/** Not in our lock file, as its driver is native; where there is none for this machine npm builds it. Once. */
async function installed(): Promise<void> {
  if (existsSync(join(PEERS, 'node_modules', SQLITE, 'package.json'))) return
  process.stderr.write(`bench durable: installing ${SQLITE} into bench/.peers …\n`)
  mkdirSync(PEERS, { recursive: true })
  writeFileSync(join(PEERS, 'package.json'), JSON.stringify(SQLITE_PACKAGE))
  // The headers that a driver is built with come with Node: the site that has them may be out of reach.
  const env = { ...process.env, npm_config_nodedir: dirname(dirname(process.execPath)) }
  await run('npm', ['install', '--prefix', PEERS, '--no-audit', '--no-fund', '--no-package-lock'], { cwd: PEERS, timeout: BUILD_MS, env })
}

function fromConnString(module: unknown, file: string): BaseCheckpointSaver {
  if (typeof module === 'object' && module !== null && 'SqliteSaver' in module) {
    const { SqliteSaver } = module
    if (typeof SqliteSaver === 'function' && 'fromConnString' in SqliteSaver && typeof SqliteSaver.fromConnString === 'function') {
      return SqliteSaver.fromConnString(file)
    }
  }
  throw new Error('the package has no SqliteSaver')
}

function saverOf(name: string, saver: BaseCheckpointSaver, close: () => Promise<void>): Saver {
  const latest = new Map<string, { readonly id: string; readonly version: number }>()
  return {
    name,
    close,
    async put(thread, state) {
      const before = latest.get(thread)
      const version = (before?.version ?? 0) + 1
      const versions = Object.fromEntries(Object.keys(state).map((channel) => [channel, version]))
      const checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(version),
        channel_values: state,
        channel_versions: versions,
      }
      const config = {
        configurable: { thread_id: thread, checkpoint_ns: '', ...(before === undefined ? {} : { checkpoint_id: before.id }) },
      }
      await saver.put(config, checkpoint, { source: 'loop', step: version, parents: {} }, versions)
      latest.set(thread, { id: checkpoint.id, version })
    },
    get: (thread) => saver.getTuple({ configurable: { thread_id: thread, checkpoint_ns: '' } }),
  }
}
