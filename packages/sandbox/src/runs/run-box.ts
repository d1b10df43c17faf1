/** What a run needs of a box, however it was made. */
import type { Socket } from 'node:net'
import type { CgroupBox, ProcessIdentity } from '../linux/index.ts'
import type { OutputPipe } from './output-pipe.ts'

export interface BoxEnd {
  /** 128 and its number for a signal. Absent when the box could not be made, or was ended by force. */
  readonly exitCode?: number
  /** No program ever ran in it. */
  readonly failed: boolean
}

export interface RunBox {
  readonly stdout: OutputPipe
  readonly stderr: OutputPipe
  /** What the program tells, when it is one that tells how runs end. */
  readonly side: Socket | undefined
  /** The kernel holds all its processes together. */
  readonly isGrouped: boolean
  /** Undefined where there is none. */
  readonly group: CgroupBox | undefined
  /** In the host's numbers; undefined until it stands. */
  readonly inner: ProcessIdentity | undefined
  readonly isOver: boolean
  /** True when its first process is there. Never rejects. */
  readonly standing: Promise<boolean>
  /** The program has ended. Never rejects. */
  readonly ended: Promise<BoxEnd>
  /** Nothing of it is left. Never rejects. */
  readonly gone: Promise<void>
  /** Hands code in. @param last nothing comes after it */
  give(frame: Uint8Array, last: boolean): void
  /** Ends everything in it. Safe at every moment. */
  kill(): void
}
