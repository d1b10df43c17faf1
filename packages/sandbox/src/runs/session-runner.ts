/**
 * Owns a shell or an interpreter that stays in its box: one run after the other in the same process. How a run ended comes on a descriptor of its own,
 * with a word that is new for each run; nothing that is printed can be taken for it, and what an earlier run left behind does not know it.
 * When the program itself ends, in a run or between two, the runner is over and everything that it knew is lost.
 */
import type { Clock, IdSource, SandboxLimitName, SandboxLimits, SandboxRun } from '@adjutant/core/contract'
import type { RunLimits } from './limits.ts'
import type { RunBox } from './run-box.ts'
import { runFrame } from './run-frame.ts'
import { type RunEnd, type WatchedRun, watchRun } from './watch-run.ts'

/** Characters; a program that fills the descriptor with anything else is not listened to further. */
const MAX_TOLD = 4096

export interface SessionRunnerOptions {
  readonly box: RunBox
  readonly slot: {
    readonly shape: { readonly limits: SandboxLimits }
    /** To be read in the box under this path, until it is removed. */
    putInput(bytes: string | Uint8Array | undefined): Promise<{ readonly path: string; remove(): Promise<void> }>
  }
  readonly clock: Clock
  readonly ids: IdSource
}

export class SessionRunner {
  readonly #options: SessionRunnerOptions
  #told: ((word: string, status: number) => void) | undefined

  constructor(options: SessionRunnerOptions) {
    this.#options = options
    let rest = ''
    options.box.side?.on('data', (bytes: Buffer) => {
      const parts = (rest + bytes.toString('latin1')).slice(-MAX_TOLD).split('\0')
      rest = parts.pop() ?? ''
      for (const part of parts) {
        const [, word, status] = /^(\S+) (\d{1,3})$/.exec(part) ?? []
        if (word !== undefined) this.#told?.(word, Number(status))
      }
    })
  }

  get isAlive(): boolean {
    return !this.#options.box.isOver
  }

  /** @throws AdjutantError CANCELLED, CONFIG_INVALID */
  async run(run: SandboxRun, limits: RunLimits, look?: () => Promise<SandboxLimitName | undefined>): Promise<WatchedRun> {
    const { box, clock, ids, slot } = this.#options
    const word = ids.traceId()
    const input = await slot.putInput(run.stdin)
    try {
      const frame = runFrame({
        word,
        ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
        env: run.env ?? {},
        stdin: input.path,
        code: run.code,
      })
      return await watchRun(
        { clock, box, run, limits, memoryMB: slot.shape.limits.memoryMB, ...(look === undefined ? {} : { look }) },
        () => {
          const told = new Promise<RunEnd>((resolve) => {
            this.#told = (which, exitCode) => {
              if (which === word) resolve({ exitCode, failed: false })
            }
          })
          // What was printed between two runs belongs to none.
          box.give(frame, false)
          return Promise.race([told, box.ended])
        },
      )
    } finally {
      this.#told = undefined
      await input.remove()
    }
  }

  async close(): Promise<void> {
    this.#options.box.kill()
    await this.#options.box.gone
  }
}
