/**
 * Owns one box: a bubblewrap process, its pipes and its control group, from the start until nothing of it is left. It is made in a place that is in
 * its control group already, so nothing of it ever ran outside; it is ended by ending its first process, because the kernel then ends all others. It
 * holds one program that waits for code; whoever hands code in decides when it is over. A box dies with its host.
 */
import type { Socket } from 'node:net'
import { type CgroupBox, identifyProcess, type ProcessIdentity, readBoxStatus, signalProcess } from '../linux/index.ts'
import type { OutputPipe } from '../runs/output-pipe.ts'
import type { BoxEnd, RunBox } from '../runs/run-box.ts'
import type { BoxPlace, BoxTools } from './box-place.ts'
import { type BoxPlan, bubblewrapArguments } from './bubblewrap-arguments.ts'

export class Box implements RunBox {
  readonly name: string
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** The kernel holds all its processes together. */
  readonly isGrouped: boolean
  /** Undefined where there is none. */
  readonly group: CgroupBox | undefined
  /** What the program tells, when it is one that tells how runs end. */
  readonly side: Socket | undefined
  /** True when its first process is there. Never rejects. */
  readonly standing: Promise<boolean>
  /** The program has ended. Never rejects. */
  readonly ended: Promise<BoxEnd>
  /** Nothing of it is left. Never rejects. */
  readonly gone: Promise<void>
  /** In the host's numbers; undefined until it stands. */
  inner: ProcessIdentity | undefined
  isOver = false
  #killed = false
  readonly #code: Socket

  constructor(tools: Pick<BoxTools, 'bubblewrap' | 'seccomp'>, place: BoxPlace, plan: Omit<BoxPlan, 'seccomp'>) {
    this.name = place.name
    this.stdout = place.stdout
    this.stderr = place.stderr
    this.group = place.group
    this.isGrouped = place.group !== undefined
    this.side = place.side
    this.#code = place.code
    place.become([tools.bubblewrap, ...bubblewrapArguments({ ...plan, seccomp: tools.seccomp !== undefined })])
    const status = readBoxStatus(place.status)
    this.standing = status.started.then((started) => {
      if (started === undefined) return false
      this.inner = identifyProcess(started.pid)
      if (this.#killed) this.#end()
      return true
    })
    const exitCode = Promise.race([status.exitCode, place.exited.then(() => status.exitCode)])
    this.ended = Promise.all([exitCode, this.standing]).then(([exitCode, stood]) => {
      this.isOver = true
      return { failed: !stood, ...(exitCode === undefined || this.#killed ? {} : { exitCode }) }
    })
    this.gone = this.ended.then(() => place.left())
  }

  /** Hands code in: it lies ready when the program comes to read it, so that nobody waits for us then. @param last nothing comes after it */
  give(frame: Uint8Array, last: boolean): void {
    if (this.#killed || this.isOver) return
    if (last) this.#code.end(frame)
    else this.#code.write(frame)
  }

  /** Ends everything in it. Safe at every moment. */
  kill(): void {
    this.#killed = true
    this.#end()
  }

  #end(): void {
    // Before it stands there is nothing to signal: it ends with its input, or, when it has code already, as soon as it stands.
    if (this.inner === undefined) {
      if (!this.isOver) this.#code.destroy()
    } else signalProcess(this.inner, 'SIGKILL')
  }
}
