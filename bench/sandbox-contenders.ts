/** Ways to run a piece of code, each measured from being asked to its first output and to its end; made and taken down outside of the time. */
import { spawn } from 'node:child_process'
import { systemClock } from '@adjutant/core'
import type { Sandbox, SandboxBackend, SandboxLanguage, SandboxReport } from '@adjutant/core/contract'

export interface Sample {
  readonly firstMs: number
  readonly endMs: number
}

export interface Contender {
  readonly name: string
  /** Rows of one group are compared with its plain spawn. */
  readonly group: string
  /** Only in every so many rounds; default 1. For what takes seconds. */
  readonly every?: number
  /** At most so many times its group's plain spawn, by the median to the first output. */
  readonly goalRatio?: number
  /** At most so many milliseconds to the first output, by the median. */
  readonly goalMs?: number
  /** Undefined: it was not what was to be measured, e.g. nothing was ready; it is tried again. */
  sample(): Promise<Sample | undefined>
  close(): Promise<void>
}

export const HELLO: Readonly<Record<Exclude<SandboxLanguage, 'sql'>, string>> = {
  bash: 'echo hello',
  python: 'print("hello")',
  js: 'console.log("hello")',
}

/** What a program is without any box. */
export const PLAIN: Readonly<Record<'bash' | 'python' | 'js' | 'ls', readonly [string, ...string[]]>> = {
  bash: ['/usr/bin/bash', '-c', HELLO.bash],
  python: ['/usr/bin/python3', '-I', '-S', '-c', HELLO.python],
  js: [process.execPath, '-e', HELLO.js],
  ls: ['/usr/bin/ls', '/'],
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => systemClock.after(ms, resolve))

/** One start of a program, as any program would do it. */
export function spawnOnce([command, ...args]: readonly [string, ...string[]]): Promise<Sample> {
  return new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '/usr/bin:/bin' }, cwd: '/' })
    let firstMs: number | undefined
    child.stdout.once('data', () => {
      firstMs = performance.now() - began
    })
    child.stdout.resume()
    child.stderr.resume()
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0 && firstMs !== undefined) resolve({ firstMs, endMs: performance.now() - began })
      else reject(new Error(`${command} ended with ${code}`))
    })
  })
}

/** Sits in a process that has hardly anything in memory: copying a big one's tables is a part of each of its starts. */
const SMALL_PARENT = `
const { spawn } = require('node:child_process')
process.on('message', ([command, ...args]) => {
  const began = performance.now()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '/usr/bin:/bin' }, cwd: '/' })
  let firstMs
  child.stdout.once('data', () => { firstMs = performance.now() - began })
  child.stderr.resume()
  child.once('close', () => process.send({ firstMs, endMs: performance.now() - began }))
})`

/** The same by a small process, as a measure of how much of a start is our own size. */
export function plainBySmallProcess(group: string, command: readonly [string, ...string[]]): Contender {
  const parent = spawn(process.execPath, ['-e', SMALL_PARENT], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: {}, cwd: '/' })
  return {
    name: 'plain spawn, by a small process',
    group,
    sample: () =>
      new Promise((resolve, reject) => {
        parent.once('message', (message) => {
          if (isSample(message)) resolve(message)
          else reject(new Error(`${command[0]} said nothing`))
        })
        parent.send(command)
      }),
    close: async () => void parent.kill(),
  }
}

function isSample(value: unknown): value is Sample {
  return typeof value === 'object' && value !== null && 'firstMs' in value && typeof value.firstMs === 'number' && 'endMs' in value
}

export function plain(group: string, command: readonly [string, ...string[]]): Contender {
  return { name: 'plain spawn', group, sample: () => spawnOnce(command), close: async () => {} }
}

export interface BoxContender {
  readonly name: string
  readonly group: string
  readonly lang: SandboxLanguage
  readonly code: string
  readonly session?: boolean
  /** Which reports count. */
  readonly mode: SandboxReport['mode']
  /** Milliseconds before each run, in which what waits in advance is made again. */
  readonly settleMs: number
  readonly goalMs?: number
  readonly goalRatio?: number
  /** A new sandbox for each run, opened outside of the time. */
  readonly reopen?: boolean
}

/** Runs in boxes of a backend. What the box says of how it was started decides whether it counts. */
export function boxed(backend: Pick<SandboxBackend, 'open'>, options: BoxContender): Contender {
  const { lang, code, session = false, mode, settleMs, reopen = false } = options
  let box: Sandbox | undefined
  return {
    name: options.name,
    group: options.group,
    ...(options.goalMs === undefined ? {} : { goalMs: options.goalMs }),
    ...(options.goalRatio === undefined ? {} : { goalRatio: options.goalRatio }),
    async sample() {
      box ??= await backend.open({})
      await wait(settleMs)
      const { report, sample } = await runOnce(box, lang, code, session)
      if (reopen) {
        await box.close()
        box = undefined
      }
      if (report.exitCode !== 0) throw new Error(`${options.name}: ${Buffer.from(report.stderr).toString().slice(0, 300)}`)
      return report.mode === mode ? sample : undefined
    },
    close: async () => box?.close(),
  }
}

export async function runOnce(
  box: Sandbox,
  lang: SandboxLanguage,
  code: string,
  session: boolean,
): Promise<{ readonly report: SandboxReport; readonly sample: Sample }> {
  const began = performance.now()
  let firstMs: number | undefined
  const report = await box.run({
    lang,
    code,
    session,
    output: () => {
      firstMs ??= performance.now() - began
    },
  })
  const endMs = performance.now() - began
  return { report, sample: { firstMs: firstMs ?? endMs, endMs } }
}
