/** Asks the process in which everything else is measured, and gives it as contenders. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Contender, Sample } from './sandbox-contenders.ts'
import type { Row } from './table.ts'

export interface Beside {
  /** What is left out, and why. */
  readonly notes: readonly string[]
  readonly contenders: readonly Contender[]
  readonly workers: readonly { readonly name: string; rate(lanes: number): Promise<number> }[]
  memory(): Promise<readonly Row[]>
  close(): Promise<void>
}

interface Opened {
  readonly notes: readonly string[]
  readonly contenders: readonly Omit<Contender, 'sample' | 'close'>[]
  readonly workers: readonly string[]
  readonly kinds: number
}

export async function openBeside(): Promise<Beside> {
  const child = fork(new URL('./sandbox-beside.ts', import.meta.url), { execArgv: process.execArgv })
  const ask = async (...question: readonly (string | number)[]): Promise<unknown> => {
    const answered = once(child, 'message')
    child.send(question)
    const [answer]: unknown[] = await Promise.race([
      answered,
      once(child, 'exit').then(() => Promise.reject(new Error('the process beside has ended'))),
    ])
    if (typeof answer !== 'object' || answer === null) return undefined
    if ('failed' in answer) throw new Error(String(answer.failed))
    return 'value' in answer ? answer.value : undefined
  }
  const opened = await ask('open')
  if (!isOpened(opened)) throw new Error('the process beside said nothing')
  return {
    notes: opened.notes,
    contenders: opened.contenders.map((contender, index) => ({
      ...contender,
      sample: async () => {
        const sample = await ask('sample', index)
        return isSample(sample) ? sample : undefined
      },
      close: async () => {},
    })),
    workers: opened.workers.map((name, index) => ({ name, rate: async (lanes) => Number(await ask('rate', index, lanes)) })),
    memory: async () => {
      const rows: Row[] = []
      for (let index = 0; index < opened.kinds; index += 1) {
        const row = await ask('memory', index)
        if (Array.isArray(row)) rows.push(row.map((cell) => (typeof cell === 'number' ? cell : String(cell))))
      }
      return rows
    },
    close: async () => {
      await ask('close')
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

function isOpened(value: unknown): value is Opened {
  return typeof value === 'object' && value !== null && 'contenders' in value && 'workers' in value && 'notes' in value && 'kinds' in value
}

function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && 'firstMs' in value && 'endMs' in value
}
