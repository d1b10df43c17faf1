/** The words of the attack part: what an attempt is, what it may aim at, what became of it. */
import type { Sandbox, SandboxGuarantee, SandboxLanguage, SandboxLimits, SandboxReport } from '@adjutant/core/contract'

/** Targets that the suite plants on the host for attempts to reach. Tokens never stand in the code of an attempt: they can only be found. */
export interface Canaries {
  /** Holds all the planted files. Readable by everybody. */
  readonly folder: string
  /** Mode 0644. */
  readonly secret: { readonly path: string; readonly token: string }
  /** A folder as another session would have one. */
  readonly otherSession: { readonly folder: string; readonly path: string; readonly token: string }
  /** Mode 0777: whoever gets there can make files. */
  readonly writable: string
  /** Mode 0666: whoever gets there can read, change and link it. */
  readonly editable: { readonly path: string; readonly token: string }
  /** A SQLite file whose one table `t` holds the token. */
  readonly database: { readonly path: string; readonly token: string }
  /** Listeners that answer everybody with the token. */
  readonly service: {
    readonly tcpPort: number
    readonly udpPort: number
    readonly unixPath: string
    /** Without the leading NUL. */
    readonly abstractName: string
    readonly token: string
  }
  /** A process of the host, by whose side tokens lie: in its command line and in its environment. */
  readonly process: { readonly pid: number; readonly argumentToken: string; readonly environmentToken: string }
  /** What a box beside the attacked one keeps, where an attempt has one: see {@link SandboxAttempt.neighbour}. */
  readonly neighbour: { readonly token: string }
  /** A variable of the environment of the process that runs the suite. */
  readonly environment: { readonly name: string; readonly token: string }
  /** For the names of what attempts make, so that it can be told from what was there. */
  readonly nonce: string
}

/** The limits of the boxes that are attacked; attempts on limits go beyond them by a known amount and no further. */
export const ATTACK_LIMITS = {
  wallMs: 20_000,
  cpuMs: 1_000,
  memoryMB: 128,
  processes: 24,
  diskMB: 16,
  files: 400,
  outputBytes: 1_048_576,
} as const

/** A whole Node has to fit. */
export const JAVASCRIPT_MEMORY_MB = 256

/** What an attempt has to show for itself. */
export interface AttemptEvidence {
  /** Absent when the run was refused or broke. */
  readonly report: SandboxReport | undefined
  /** Output of both streams, with what {@link SandboxAttempt.after} gave. */
  readonly text: string
  /** Signals that reached the planted process. */
  readonly signals: number
  /** Whether this path is there on the host. */
  exists(path: string): boolean
}

export interface SandboxAttempt {
  /** Kebab-case, never changes. */
  readonly id: string
  /** What is tried, for a person. */
  readonly title: string
  /** What a box claims that holds this off. */
  readonly guarantee: SandboxGuarantee
  readonly lang: SandboxLanguage
  /** Of its box, where {@link ATTACK_LIMITS} are too tight for the language. */
  readonly limits?: Partial<SandboxLimits>
  /** The program. Says {@link ranMark} first, so that a program that never ran is not taken for a box that held. */
  code(canaries: Canaries): string
  /** Readies another open box of the same backend, which is there while the attempt is made. */
  readonly neighbour?: (box: Sandbox, canaries: Canaries) => Promise<void>
  /** What the host does with the box afterwards, e.g. read a link: what it got. A refusal is fine. */
  readonly after?: (box: Sandbox, canaries: Canaries) => Promise<string>
  escaped(evidence: AttemptEvidence, canaries: Canaries): boolean
  /**
   * How it is shown that the attempt works where nothing holds it: as an unprivileged user of the host against planted targets (`user`; harmless
   * attempts only), or in a box of the suite with every capability in namespaces of its own (`weak-box`), or not at all.
   */
  readonly control: 'user' | 'weak-box' | { readonly none: string }
  /** This machine itself may refuse it, by its kernel or settings: then the attempt proves nothing here and says so. */
  readonly mayBeRefused?: boolean
  /** The box may not be usable afterwards: the next attempt gets a new one. */
  readonly disturbs?: boolean
}

/** Said first by the program of an attempt. */
export function ranMark(canaries: Canaries): string {
  return `ran-${canaries.nonce}`
}

/** Said by a program that saw itself succeed, where there is nothing to find. */
export function wonMark(canaries: Canaries): string {
  return `won-${canaries.nonce}`
}
