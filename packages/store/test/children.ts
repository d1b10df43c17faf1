/** Starts `store-child.ts`, and sees to it that none is left. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

const running = new Set<ChildProcessWithoutNullStreams>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

export interface StoreChild {
  readonly process: ChildProcessWithoutNullStreams
  /** The next line of its output; `undefined` at its end. */
  line(): Promise<string | undefined>
  /** Its exit code. @throws Error with what it said when it is not 0 */
  ended(): Promise<void>
}

export function startChild(...args: readonly string[]): StoreChild {
  return startScript('./store-child.ts', args)
}

/** @param name of a file beside this one */
export function startScript(name: `./${string}.ts`, args: readonly string[], env: Readonly<Record<string, string>> = {}): StoreChild {
  const script = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=adjutant-source', '--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...process.env, ...env },
  })
  running.add(child)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const closed = once(child, 'close')
  child.once('close', () => running.delete(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    async line() {
      const next = await lines.next()
      return next.done === true ? undefined : next.value
    },
    async ended() {
      const [code] = await closed
      if (code !== 0) throw new Error(`the child ended with ${code}: ${said}`)
    },
  }
}
