import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { reflectProject } from './reflect-project.ts'
import { printTable, type Row } from './table.ts'

const SIZES = [100, 1_000] as const
const ROUNDS = 5
const WORKER = fileURLToPath(new URL('./reflect-worker.ts', import.meta.url))

interface Round {
  readonly milliseconds: number
  /** Of all threads: what the work takes, whatever else the machine does. */
  readonly cpuMilliseconds: number
  readonly tools: number
  readonly problems: number
  readonly cached: boolean
  readonly megabytes: number
}

/**
 * Plain functions → tools, ready to be called, their modules imported. Cold: nothing kept, the compiler is loaded and reads
 * everything. Cached: nothing changed since. Each round is a process of its own, which has imported the package and nothing
 * else. Best of five.
 */
export async function benchReflect(): Promise<void> {
  const rows: Row[] = []
  for (const size of SIZES) {
    const cold: Round[] = []
    const cached: Round[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await using project = await reflectProject(size)
      cold.push(await measure(project.source, project.cache))
      cached.push(await measure(project.source, project.cache))
    }
    for (const [all, wanted] of [[cold, false] as const, [cached, true] as const]) {
      const odd = all.find((one) => one.tools !== size || one.problems > 0 || one.cached !== wanted)
      if (odd !== undefined) throw new Error(`a round went wrong: ${JSON.stringify(odd)}`)
    }
    for (const [name, all] of [['cold', cold] as const, ['cached', cached] as const]) {
      rows.push([`${size} functions, ${name}`, least(all, 'milliseconds'), least(all, 'cpuMilliseconds'), least(all, 'megabytes')])
    }
  }
  printTable('Plain functions to tools', ['', 'ms', 'CPU ms', 'peak MB'], rows)
}

function least(rounds: readonly Round[], figure: 'milliseconds' | 'cpuMilliseconds' | 'megabytes'): number {
  return Math.min(...rounds.map((round) => round[figure]))
}

function measure(source: string, cache: string): Promise<Round> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [...process.execArgv, WORKER, source, cache], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    worker.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    worker.on('error', reject)
    worker.on('close', (code) => {
      if (code !== 0) reject(new Error(`the worker ended with ${code}: ${said}`))
      else resolve(JSON.parse(said))
    })
  })
}
