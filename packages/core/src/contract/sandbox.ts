/**
 * The words of boxes in which code from a model runs: what a box must promise, what runs in it, and what is truthfully said of it afterwards.
 * A backend says what it enforces; what it does not enforce it does not claim, and whoever needs it is refused instead of served less.
 */

/** What a backend may promise of every box that it opens. */
export type SandboxGuarantee =
  /** Nothing of the host's files is seen but what is mounted. */
  | 'filesystem'
  /** No connection but to the hosts that the spec allows. */
  | 'network'
  /** No process of the host is seen or can be signalled. */
  | 'processes'
  /** Nothing of the host's environment is seen. */
  | 'environment'
  /** Memory of all its processes together. */
  | 'memory'
  | 'cpu'
  /** Number of its processes. */
  | 'process-count'
  /** Bytes on disk and in memory file systems. */
  | 'disk'
  /** Number of files. */
  | 'file-count'
  /** System calls are filtered: less of the kernel can be attacked. */
  | 'kernel'

export type SandboxLanguage = 'bash' | 'python' | 'js' | 'sql'

/** `none`, or the hosts that may be reached: `example.com`, `*.example.com`, each with `:port` or for 80 and 443. */
export type SandboxNetwork = 'none' | { readonly allow: readonly string[] }

export interface SandboxLimits {
  /** Milliseconds of one run. Default 60 000. */
  readonly wallMs: number
  /** Milliseconds of CPU of one run. Default 30 000. */
  readonly cpuMs: number
  /** All processes together. Default 512. */
  readonly memoryMB: number
  /** At once. Default 64. */
  readonly processes: number
  /** Written by the box in its workspace and temporary folders. Default 256. */
  readonly diskMB: number
  /** Files it may make. Default 10 000. */
  readonly files: number
  /** Of stdout and stderr together; what comes after is dropped and the run is ended. Default 10 485 760. */
  readonly outputBytes: number
}

export interface SandboxMount {
  /** Absolute, on the host. */
  readonly host: string
  /** Absolute, in the box. Read-only there. */
  readonly path: string
}

export interface SandboxSpec {
  readonly limits?: Partial<SandboxLimits>
  /** Default `none`. */
  readonly network?: SandboxNetwork
  readonly mounts?: readonly SandboxMount[]
  /** The one writable folder, at `/workspace` in the box: of the host, or gone with the box. Default: gone with the box. */
  readonly workspace?: { readonly host: string }
  /** All that the box sees of an environment. */
  readonly env?: Readonly<Record<string, string>>
  /** What must be enforced. A backend that does not is not used. */
  readonly requires?: readonly SandboxGuarantee[]
}

export interface SandboxRun {
  readonly lang: SandboxLanguage
  readonly code: string
  readonly stdin?: string | Uint8Array
  /** Absolute in the box. Default `/workspace`, or where the session's shell is. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Of this run alone; never more than the box's. */
  readonly limits?: Partial<Pick<SandboxLimits, 'wallMs' | 'cpuMs' | 'outputBytes'>>
  /** In the persistent shell or interpreter of this box, so that variables and the folder stay. Default false: by itself. */
  readonly session?: boolean
  readonly signal?: AbortSignal
  /** Output as it comes, before the run has ended. Must not throw. */
  readonly output?: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void
}

/** Which limit ended the run. */
export type SandboxLimitName = 'wall' | 'cpu' | 'memory' | 'processes' | 'disk' | 'files' | 'output'

/** What became of a run. Never more than is known: what nobody measured is absent. */
export interface SandboxReport {
  readonly backend: string
  /** How the run was started. */
  readonly mode: 'session' | 'warm' | 'cold'
  /** Absent when a signal ended it. */
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  readonly oom: boolean
  readonly limit?: SandboxLimitName
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  /** Output beyond the limit was dropped. */
  readonly truncated: boolean
  readonly durationMs: number
  readonly usage: { readonly cpuMs?: number; readonly memoryMB?: number; readonly processes?: number; readonly diskMB?: number }
  /** What the session's shell or interpreter knew is gone: it had ended before this run, which had a new one, or ended in it. Each loss is told once. */
  readonly stateLost?: boolean
  /** Connections that were tried and refused, e.g. `evil.example:443`. */
  readonly refused?: readonly string[]
  /** What a reader must know of a box that is none, or hardly one. Shown with every result. */
  readonly warning?: string
}

export interface SandboxFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string
  readonly type: 'file' | 'folder' | 'other'
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly modifiedAt: number
}

/** One open box. Belongs to one session; runs in it one after the other unless its backend says otherwise. */
export interface Sandbox extends AsyncDisposable {
  readonly id: string
  readonly backend: string
  readonly enforces: ReadonlySet<SandboxGuarantee>
  /** Where its workspace is for the code in it, where it cannot be at `/workspace`; runs may say `/workspace` for it in `cwd` all the same. */
  readonly workspace?: string
  /** Where its temporary folder is for the code in it, where that cannot be `/tmp`. */
  readonly temporary?: string
  /** Never rejects for a reason that lies in the code. @throws AdjutantError CANCELLED, UNSUPPORTED, SANDBOX_FAILED when the box itself broke */
  run(run: SandboxRun): Promise<SandboxReport>
  /** @param path relative to the workspace; links out of it are refused. @throws AdjutantError PATH_OUTSIDE_WORKSPACE, TOO_LARGE */
  writeFile(path: string, bytes: Uint8Array): Promise<void>
  /** @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, TOO_LARGE */
  readFile(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>
  list(path?: string): Promise<readonly SandboxFile[]>
  /** Ends everything in it and removes what it kept. Safe to call twice. */
  close(): Promise<void>
}

export interface SandboxProbe {
  readonly ok: boolean
  /** e.g. `bubblewrap 0.8.0, cgroup v1, seccomp`. */
  readonly detail: string
  /** What a person can do about it. */
  readonly fix?: string
}

/** A way to make boxes. */
export interface SandboxBackend extends AsyncDisposable {
  readonly name: string
  readonly languages: ReadonlySet<SandboxLanguage>
  /** What its boxes enforce on this machine; known after `probe`. */
  readonly enforces: ReadonlySet<SandboxGuarantee>
  /** Tries the real thing, once; later calls give the same answer. */
  probe(): Promise<SandboxProbe>
  /** @throws AdjutantError SANDBOX_TOO_WEAK, SANDBOX_UNAVAILABLE */
  open(spec: SandboxSpec): Promise<Sandbox>
}
