/**
 * Owns finding out whether Landlock boxes can be made here, and how good they are: a box is made and tries to get out, each language greets from one.
 * What is missing is said with what a person can do about it. Leaves nothing when it fails.
 */
import { execFile } from 'node:child_process'
import { realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import {
  AdjutantError,
  type Clock,
  type IdSource,
  type SandboxGuarantee,
  type SandboxLanguage,
  type SandboxProbe,
} from '@adjutant/core/contract'
import { HostFolders } from '../host/host-folder.ts'
import { findBoxProgram, findProgram, inheritedDescriptors } from '../host/machine.ts'
import { defaultStateRoot, StateFolder } from '../host/state-folder.ts'
import { type CgroupDriver, findCgroups, isRoot, type SeccompArch, seccompArch, seccompFilter } from '../linux/index.ts'
import type { Turns } from '../pool/turns.ts'
import type { WarmPool } from '../pool/warm-pool.ts'
import type { BoxPrograms } from '../programs/box-command.ts'
import { boxLimits } from '../runs/limits.ts'
import { NamedPipes } from '../runs/named-pipes.ts'
import { runFrame } from '../runs/run-frame.ts'
import { type WatchedRun, watchRun } from '../runs/watch-run.ts'
import { systemRules } from './box-rules.ts'
import { changeCalls } from './keeper-changes.ts'
import type { LandlockHouse } from './landlock-house.ts'
import { LandlockSlot } from './landlock-slot.ts'
import { landlockSeccompPolicy } from './seccomp-policy.ts'

export interface FindLandlockOptions {
  readonly clock: Clock
  readonly ids: IdSource
  readonly pool: WarmPool
  readonly turns: Turns
  readonly stateRoot?: string
  readonly filesRoot?: string
  readonly node?: string
  readonly cgroupParent?: string
  readonly controlGroups?: boolean
  readonly newestAbi?: number
}

export interface FoundLandlock {
  readonly probe: SandboxProbe
  /** Absent when no box can be made. */
  readonly house?: LandlockHouse
}

/** Before it, files outside could be cut to nothing. */
const LEAST_ABI = 3
/** From it on signals can be bounded. */
const SIGNAL_ABI = 6
const TRY_LIMITS = { wallMs: 20_000, cpuMs: 10_000, outputBytes: 65_536 }
const ASK = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
answer = libc.syscall(ctypes.c_long(444), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(1))
print(answer if answer >= 0 else -ctypes.get_errno())`

/** Never rejects. */
export async function findLandlock(options: FindLandlockOptions): Promise<FoundLandlock> {
  if (process.platform !== 'linux')
    return refused('Landlock is there for Linux only', 'Use another backend: quickjs, a container or a remote one.')
  const python = findBoxProgram('python3')
  if (python === undefined || findProgram('mkfifo') === undefined)
    return refused('python3 or mkfifo is not installed: boxes are started by a small program in Python', 'Install python3 and coreutils.')
  const arch = seccompArch()
  if (arch === undefined) return refused(`there is no table of system calls for ${process.arch}`, 'Run on x86-64 or arm64.')
  const abi = Math.min(await askAbi(python), options.newestAbi ?? Number.POSITIVE_INFINITY)
  if (abi < LEAST_ABI)
    return refused(
      abi > 0
        ? `Landlock of this kernel is too old (version ${abi}, ${LEAST_ABI} is needed)`
        : `this kernel has no Landlock, or it is switched off (${abi})`,
      'Use a kernel of 6.2 or newer with landlock in its list of security modules (lsm=landlock,…); best install bubblewrap.',
    )
  const made: StateFolder[] = []
  try {
    const cgroups = options.controlGroups === false ? undefined : await findCgroups({ clock: options.clock, ...parent(options) })
    if (abi < SIGNAL_ABI && !isRoot() && cgroups === undefined)
      return refused(
        `Landlock of this kernel bounds no signals (version ${abi}), and there are no control groups: nobody could end a box for sure`,
        'Use a kernel of 6.12 or newer, or let this user have a control group (systemd-run --user --scope -p Delegate=yes).',
      )
    const folder = (root: string): StateFolder => {
      const state = new StateFolder(root)
      made.push(state)
      return state
    }
    const state = folder(options.stateRoot ?? defaultStateRoot())
    const files = folder(options.filesRoot ?? `${tmpdir()}/adjutant-landlock-${process.geteuid?.() ?? 0}`)
    const house = buildHouse(options, { python, arch, abi, state, files, cgroups })
    const problem = await tryWalls(house)
    if (problem !== undefined) throw new AdjutantError('SANDBOX_UNAVAILABLE', problem)
    const languages = await tryLanguages(house)
    return { probe: { ok: true, ...told(house, languages) }, house: { ...house, languages } }
  } catch (error) {
    for (const state of made) state.remove()
    const { message, hint } = AdjutantError.from(error, 'SANDBOX_UNAVAILABLE')
    return refused(message, hint === '' ? 'Use another backend: a container or a remote one.' : hint)
  }
}

interface Found {
  readonly python: string
  readonly arch: SeccompArch
  readonly abi: number
  readonly state: StateFolder
  readonly files: StateFolder
  readonly cgroups: CgroupDriver | undefined
}

function buildHouse(options: FindLandlockOptions, { python, arch, abi, state, files, cgroups }: Found): LandlockHouse {
  const memoryHeld = cgroups?.enforces.has('memory') === true
  const filter = (name: string, sharedUser: boolean): string => {
    const path = `${state.path}/${name}`
    writeFileSync(path, seccompFilter(arch, landlockSeccompPolicy({ sharedUser, memoryHeld })), { mode: 0o444 })
    return path
  }
  const node = realpathSync(options.node ?? process.execPath)
  return {
    clock: options.clock,
    ids: options.ids,
    python,
    abi,
    state,
    files,
    folders: new HostFolders(),
    pipes: new NamedPipes(`${state.path}/pipes`),
    inherited: inheritedDescriptors(),
    filters: { ownUser: filter('seccomp-own', false), sharedUser: filter('seccomp-shared', true) },
    changes: changeCalls(arch),
    rules: systemRules(),
    programs: findPrograms(python, node),
    programFiles: node.startsWith('/usr/') ? [] : [node],
    cgroups,
    enforces: enforced(abi, cgroups),
    languages: new Set(),
    pool: options.pool,
    turns: options.turns,
  }
}

function findPrograms(python: string, node: string): BoxPrograms {
  const bash = findBoxProgram('bash')
  const prlimit = findBoxProgram('prlimit')
  return {
    python,
    ...(bash === undefined ? {} : { bash }),
    ...(prlimit === undefined ? {} : { js: { node, prlimit, mounts: [] } }),
  }
}

/** What its boxes hold on this kernel; what of it is weaker than elsewhere is said in the documentation. */
function enforced(abi: number, cgroups: CgroupDriver | undefined): ReadonlySet<SandboxGuarantee> {
  const counted = cgroups?.enforces.has('process-count') === true || isRoot()
  return new Set<SandboxGuarantee>([
    ...(['filesystem', 'network', 'environment', 'cpu', 'kernel'] as const),
    ...(abi >= SIGNAL_ABI ? (['processes'] as const) : []),
    ...(counted ? (['process-count'] as const) : []),
    ...(cgroups?.enforces.has('memory') === true ? (['memory'] as const) : []),
  ])
}

/** What got out of a box, or undefined. */
async function tryWalls(house: LandlockHouse): Promise<string | undefined> {
  const outside = `${house.files.path}/outside`
  writeFileSync(outside, 'outside', { mode: 0o644 })
  const code = `
import os, socket
def gets_out(what, attempt):
    try:
        attempt()
        print("got out:", what)
    except OSError:
        pass
gets_out("a file of the host was read", lambda: open(${JSON.stringify(outside)}))
gets_out("a file of the host was cut", lambda: os.truncate(${JSON.stringify(outside)}, 0))
gets_out("processes were listed", lambda: os.listdir("/proc"))
gets_out("a socket was made", lambda: socket.socket())
${house.abi < SIGNAL_ABI ? '' : `gets_out("a process of the host was signalled", lambda: os.kill(${process.pid}, 0))`}
open("inside", "w").write("inside")
print("held", open("inside").read())`
  const { stdout, stderr, failure } = await tryRun(house, 'python', code)
  if (stdout === 'held inside\n') return undefined
  return `a box did not hold, or did not work: ${(stdout + stderr + (failure ?? '')).trim().slice(0, 500) || 'it ended at once'}`
}

/** Those whose program greets from within a box. */
async function tryLanguages(house: LandlockHouse): Promise<ReadonlySet<SandboxLanguage>> {
  const greetings = { bash: 'echo hello', python: 'print("hello")', js: 'console.log("hello")' } as const
  const worked = await Promise.all(
    (['bash', 'python', 'js'] as const).map(async (lang) => {
      const said = await tryRun(house, lang, greetings[lang]).catch(() => undefined)
      return said?.stdout === 'hello\n' ? [lang] : []
    }),
  )
  return new Set(worked.flat())
}

async function tryRun(
  house: LandlockHouse,
  lang: 'bash' | 'python' | 'js',
  code: string,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly failure?: string }> {
  const limits = boxLimits()
  const slot = new LandlockSlot(house, { limits, mounts: [], env: {}, allow: [] })
  try {
    const box = await slot.start('once', lang)
    const ran: WatchedRun = await watchRun(
      { clock: house.clock, box, run: { lang, code }, limits: TRY_LIMITS, memoryMB: limits.memoryMB },
      () => {
        box.give(runFrame({ word: '-', stdin: '/dev/null', env: {}, code }), true)
        return box.ended
      },
    )
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
    return { stdout: text(ran.stdout), stderr: text(ran.stderr), ...(box.failure === undefined ? {} : { failure: box.failure }) }
  } finally {
    await slot.close()
  }
}

/** The version of Landlock; minus the error's number where there is none. */
async function askAbi(python: string): Promise<number> {
  try {
    return Number((await promisify(execFile)(python, ['-I', '-S', '-c', ASK], { cwd: '/', env: {}, timeout: 10_000 })).stdout)
  } catch {
    return 0
  }
}

function told(
  { abi, cgroups, enforces }: LandlockHouse,
  languages: ReadonlySet<SandboxLanguage>,
): { readonly detail: string; readonly fix: string } {
  const absent = (['processes', 'memory', 'process-count'] as const).filter((one) => !enforces.has(one))
  const parts = [
    `Landlock ABI ${abi}`,
    'seccomp',
    cgroups?.detail ?? 'no control groups',
    [...languages].join(' '),
    'weaker than namespaces: files outside cannot be opened, but are seen to be there',
    ...(absent.length === 0 ? [] : [`not held: ${absent.join(', ')}`]),
  ]
  return { detail: parts.join(', '), fix: 'Stronger boxes need namespaces: install bubblewrap, or let this machine make user namespaces.' }
}

function parent({ cgroupParent }: FindLandlockOptions): { readonly parent?: string } {
  return cgroupParent === undefined ? {} : { parent: cgroupParent }
}

function refused(detail: string, fix: string): FoundLandlock {
  return { probe: { ok: false, detail, fix } }
}
