import type { Namespace } from '../contract/ports.ts'
import type { Redactor } from '../contract/redact.ts'
import type { SpillRef } from '../contract/result.ts'
import { clipFile } from './clip-file.ts'
import { type SpillLimits, spillSettings } from './spill-settings.ts'
import { SpillFile } from './spill-store.ts'
import type { StreamClipOptions, StreamClipped } from './stream-clipper.ts'

/**
 * Owns: a kept result that a program writes by itself: its output is opened on the file, and what a model gets is read from the file
 * when the program has ended. No byte passes through this process, which makes it the fastest way where nobody watches the output.
 * The file holds the output as it came, escape sequences too (they are resolved whenever it is read); where the session takes secrets out and there
 * are some, it is written anew without them before anything of it is shown or kept. While the program runs, nothing
 * here bounds what it writes: ask for `bytes()` from time to time, or limit the program's file size. Exactly one of `finish` and
 * `abandon` is to be called.
 *
 * @example
 * ```ts
 * const target = await SpillTarget.open(namespace, 'call_1')
 * const child = spawn('npm', ['test'], { stdio: ['ignore', target.descriptor, target.descriptor] })
 * await once(child, 'close')
 * const { text, spill } = await target.finish({ limit: 8_000, strategy: 'errors' })
 * ```
 */
export class SpillTarget {
  readonly #file: SpillFile
  readonly #redactor: Redactor | undefined

  private constructor(file: SpillFile, redactor: Redactor | undefined) {
    this.#file = file
    this.#redactor = redactor
  }

  /** @throws AdjutantError NAMESPACE_ESCAPE; an Error of the file system (full, no rights) */
  static async open(namespace: Namespace, callId: string, limits?: SpillLimits): Promise<SpillTarget> {
    return new SpillTarget(await SpillFile.open(namespace, callId, limits), spillSettings(namespace).redactor)
  }

  /** For the `stdio` of the program. Both of its outputs may be opened on it. */
  get descriptor(): number {
    return this.#file.descriptor
  }

  /** Bytes written so far. @throws AdjutantError TOO_LARGE when that is more than may be kept: end the program then */
  bytes(): Promise<number> {
    return this.#file.measure()
  }

  /** What the model gets. The file is kept when something is missing in that, else removed. */
  async finish(options: Omit<StreamClipOptions, 'reused' | 'keep'> = {}): Promise<StreamClipped> {
    let unclean: { readonly error: unknown } | undefined
    const commit = async (lines: number): Promise<SpillRef> => {
      if (unclean !== undefined) throw unclean.error
      await this.#file.measure()
      return this.#file.commit(lines)
    }
    let kept = false
    try {
      await this.#file.clean().catch((error: unknown) => {
        unclean = { error }
      })
      // As it came where it could not be written anew: its secrets are taken out before anything is cut, too.
      const secrets = unclean === undefined || this.#redactor === undefined ? undefined : { redactor: this.#redactor }
      const clipped = await clipFile(this.#file.descriptor, { ...secrets, ...options, position: 0, keep: { commit } })
      kept = clipped.spill !== undefined
      return clipped
    } finally {
      if (!kept) await this.#file.abandon()
    }
  }

  /** Removes what was written. Never throws. */
  async abandon(): Promise<void> {
    await this.#file.abandon()
  }
}
