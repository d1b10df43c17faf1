/**
 * A process of its own for everything that is measured beside boxes of the system: engines in workers, wrappers, containers. What they keep in memory
 * would make each start of a program by the measuring process slower: a plain one's above all. Asked by messages, one at a time.
 */
import { randomIds, systemClock } from '@adjutant/core'
import type { Sandbox, SandboxBackend, SandboxLanguage } from '@adjutant/core/contract'
import { openSandboxes, quickJsBackend, sqlJsBackend } from '@adjutant/sandbox'
import { boxed, type Contender, HELLO, runOnce } from './sandbox-contenders.ts'
import { type MemoryKind, takenByBoxes } from './sandbox-memory.ts'
import { type Peer, podman, sandboxRuntime } from './sandbox-peers.ts'
import { rateOf, type Worker } from './sandbox-throughput.ts'

const SQL = 'select 6 * 7'
/** Backends that are there on some machines. */
const OTHERS = ['container', 'landlock'] as const

const tools = { clock: systemClock, ids: randomIds }
const notes: string[] = []
const contenders: Contender[] = []
const workers: Worker[] = []
const kinds: MemoryKind[] = []
const closing: (() => Promise<unknown>)[] = []

function addWasm(): void {
  const quick = quickJsBackend({ clock: systemClock })
  const sql = sqlJsBackend({ clock: systemClock })
  const stays = { mode: 'session', session: true, settleMs: 2 } as const
  contenders.push(
    boxed(quick, { name: 'quickjs, warm', group: 'js', lang: 'js', code: HELLO.js, mode: 'warm', settleMs: 30, goalMs: 3 }),
    boxed(quick, { ...stays, name: 'quickjs, session', group: 'js', lang: 'js', code: HELLO.js }),
    boxed(sql, { name: 'sqljs, warm', group: 'sql', lang: 'sql', code: SQL, mode: 'warm', settleMs: 30 }),
  )
  workers.push(inBox('quickjs', quick, 'js', HELLO.js), inBox('sqljs', sql, 'sql', SQL))
  kinds.push({ backend: quick, lang: 'js', code: HELLO.js }, { backend: sql, lang: 'sql', code: SQL })
  closing.push(
    async () => quick[Symbol.asyncDispose](),
    async () => sql[Symbol.asyncDispose](),
  )
}

async function addOthers(): Promise<void> {
  for (const name of OTHERS) {
    const only = openSandboxes({ ...tools, order: [name], requires: [] })
    closing.push(() => only.close())
    const found = (await only.describe()).find((one) => one.name === name)
    if (found?.ok !== true || !found.languages.includes('bash')) {
      notes.push(`${name}: left out, ${found?.detail ?? 'it is not there'}`)
      continue
    }
    const backend = { name, open: (spec: Parameters<SandboxBackend['open']>[0]): Promise<Sandbox> => only.open(spec, 'bash') }
    contenders.push(
      { ...anyMode(backend, false), name: `${name}, once`, every: 3 },
      { ...anyMode(backend, true), name: `${name}, session` },
    )
    kinds.push({ backend, lang: 'bash', code: HELLO.bash })
  }
}

async function addPeers(): Promise<void> {
  for (const [name, open] of [
    ['@anthropic-ai/sandbox-runtime', sandboxRuntime],
    ['Podman', podman],
  ] as const) {
    try {
      const peer: Peer = await open()
      contenders.push(...peer.contenders)
      workers.push({ name, open: async () => ({ run: () => peer.runBash(), close: async () => {} }) })
      closing.push(() => peer.close())
    } catch (error) {
      notes.push(`${name}: left out, ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
    }
  }
}

function inBox(name: string, backend: SandboxBackend, lang: SandboxLanguage, code: string): Worker {
  return {
    name,
    open: async () => {
      const box = await backend.open({})
      return { run: () => box.run({ lang, code }), close: () => box.close() }
    },
  }
}

function anyMode(backend: Pick<SandboxBackend, 'open' | 'name'>, session: boolean): Contender {
  let box: Sandbox | undefined
  return {
    name: backend.name,
    group: 'bash',
    async sample() {
      box ??= await backend.open({})
      return (await runOnce(box, 'bash', HELLO.bash, session)).sample
    },
    close: async () => box?.close(),
  }
}

async function answer(question: readonly unknown[]): Promise<unknown> {
  const [what, index, lanes] = question
  const at = Number(index)
  switch (what) {
    case 'open':
      addWasm()
      await addOthers()
      await addPeers()
      return {
        notes,
        contenders: contenders.map(({ sample: _, close: __, ...rest }) => rest),
        workers: workers.map(({ name }) => name),
        kinds: kinds.length,
      }
    case 'sample':
      return contenders[at]?.sample()
    case 'rate': {
      const worker = workers[at]
      return worker === undefined ? 0 : rateOf(worker, Number(lanes))
    }
    case 'memory': {
      const kind = kinds[at]
      return kind === undefined ? [] : takenByBoxes(kind)
    }
    default:
      for (const contender of contenders) await contender.close()
      for (const close of closing) await close()
      return true
  }
}

process.on('message', (message) => {
  if (!Array.isArray(message)) return
  answer(message).then(
    (value) => process.send?.({ value }),
    (error: unknown) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
