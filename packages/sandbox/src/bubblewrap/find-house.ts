/**
 * Owns finding out whether boxes can be made here, and how good they are: everything is really done once, with the argument list that every box gets.
 * What is missing is said with what a person can do about it. Leaves nothing when it fails.
 */
import { execFile } from 'node:child_process'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
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
import { findBoxProgram, findProgram, inheritedDescriptors, systemFolders } from '../host/machine.ts'
import { defaultStateRoot, StateFolder } from '../host/state-folder.ts'
import { type CgroupDriver, findCgroups, seccompArch, seccompFilter } from '../linux/index.ts'
import type { NetworkOptions } from '../network/box-network.ts'
import type { Turns } from '../pool/turns.ts'
import type { WarmPool } from '../pool/warm-pool.ts'
import type { BoxPrograms } from '../programs/box-command.ts'
import { boxLimits } from '../runs/limits.ts'
import { NamedPipes } from '../runs/named-pipes.ts'
import { runFrame } from '../runs/run-frame.ts'
import { watchRun } from '../runs/watch-run.ts'
import { makeEtcFolder } from './etc-folder.ts'
import { explainRefusal } from './explain-refusal.ts'
import type { House } from './house.ts'
import { Slot } from './slot.ts'

export interface FindHouseOptions {
  readonly clock: Clock
  readonly ids: IdSource
  readonly pool: WarmPool
  readonly turns: Turns
  readonly stateRoot?: string
  readonly bubblewrap?: string
  readonly node?: string
  readonly cgroupParent?: string
  readonly network?: NetworkOptions
}

export interface FoundHouse {
  readonly probe: SandboxProbe
  /** Absent when no box can be made. */
  readonly house?: House
  readonly enforces: ReadonlySet<SandboxGuarantee>
}

/** Where the Node that runs us is in a box. */
const NODE = '/opt/adjutant/node'
const TRY_LIMITS = { wallMs: 20_000, cpuMs: 10_000, outputBytes: 65_536 }

/** Never rejects. */
export async function findHouse(options: FindHouseOptions): Promise<FoundHouse> {
  if (process.platform !== 'linux')
    return refused('bubblewrap is there for Linux only', 'Use another backend: quickjs, a container or a remote one.')
  const bubblewrap = options.bubblewrap ?? findProgram('bwrap')
  if (bubblewrap === undefined)
    return refused('bubblewrap is not installed', 'Install it: apt-get install bubblewrap, dnf install bubblewrap, apk add bubblewrap.')
  const nsenter = findProgram('nsenter')
  if (nsenter === undefined || findProgram('mkfifo') === undefined)
    return refused('nsenter or mkfifo is not installed', 'Install util-linux and coreutils.')
  let state: StateFolder | undefined
  try {
    state = new StateFolder(options.stateRoot ?? defaultStateRoot())
    const cgroups = await findCgroups({
      clock: options.clock,
      ...(options.cgroupParent === undefined ? {} : { parent: options.cgroupParent }),
    })
    const house = buildHouse(options, { bubblewrap, nsenter, state, cgroups })
    const problem = await tryBox(house)
    if (problem !== undefined) {
      state.remove()
      return refused(problem, explainRefusal(problem, readSwitch))
    }
    const languages = await tryLanguages(house)
    const enforces = enforced(house, cgroups)
    return { probe: { ok: true, ...told(await version(bubblewrap), house, languages, cgroups) }, house: { ...house, languages }, enforces }
  } catch (error) {
    state?.remove()
    const said = AdjutantError.from(error, 'SANDBOX_UNAVAILABLE')
    return refused(said.message, explainRefusal(said.message, readSwitch))
  }
}

function buildHouse(
  options: FindHouseOptions,
  found: { readonly bubblewrap: string; readonly nsenter: string; readonly state: StateFolder; readonly cgroups: CgroupDriver | undefined },
): House {
  const { state, cgroups } = found
  const etc = `${state.path}/etc`
  makeEtcFolder(etc)
  const arch = seccompArch()
  const filter = arch === undefined ? undefined : `${state.path}/seccomp`
  if (arch !== undefined && filter !== undefined) writeFileSync(filter, seccompFilter(arch), { mode: 0o400 })
  return {
    clock: options.clock,
    ids: options.ids,
    pool: options.pool,
    turns: options.turns,
    state,
    folders: new HostFolders(),
    network: options.network ?? {},
    etc,
    systemFolders: systemFolders(),
    programs: findPrograms(options.node ?? process.execPath),
    languages: new Set(),
    cgroups,
    memoryHeld: cgroups?.enforces.has('memory') === true,
    tools: {
      bubblewrap: found.bubblewrap,
      nsenter: found.nsenter,
      seccomp: filter,
      pipes: new NamedPipes(`${state.path}/pipes`),
      inherited: inheritedDescriptors(),
    },
  }
}

function findPrograms(node: string): BoxPrograms {
  const bash = findBoxProgram('bash')
  const python = findBoxProgram('python3')
  const prlimit = findBoxProgram('prlimit')
  return {
    ...(bash === undefined ? {} : { bash }),
    ...(python === undefined ? {} : { python }),
    ...(prlimit === undefined ? {} : { js: { node: NODE, prlimit, mounts: [{ host: realpathSync(node), path: NODE }] } }),
  }
}

/** What refuses, or undefined. */
async function tryBox(house: House): Promise<string | undefined> {
  const slot = await Slot.make(house, { limits: boxLimits(), mounts: [], env: {}, allow: [] })
  try {
    const box = await slot.startProgram(['/usr/bin/true'])
    const { failed, exitCode, stderr } = await watchRun(
      { clock: house.clock, box, run: { lang: 'bash', code: '' }, limits: TRY_LIMITS, memoryMB: boxLimits().memoryMB },
      () => box.ended,
    )
    if (!failed && exitCode === 0) return undefined
    return Buffer.from(stderr).toString().trim().slice(0, 500) || `a box with /usr/bin/true ended with ${exitCode ?? 'a signal'}`
  } finally {
    await slot.close()
  }
}

/** Those whose program greets from within a box. */
async function tryLanguages(house: House): Promise<ReadonlySet<SandboxLanguage>> {
  const slot = await Slot.make(house, { limits: boxLimits(), mounts: [], env: {}, allow: [] })
  const tries = [
    { lang: 'bash', code: 'echo hello' },
    { lang: 'python', code: 'print("hello")' },
    { lang: 'js', code: 'console.log("hello")' },
  ] as const
  try {
    const worked = await Promise.all(
      tries.map(async (run) => {
        try {
          const box = await slot.start('once', run.lang)
          const { stdout } = await watchRun({ clock: house.clock, box, run, limits: TRY_LIMITS, memoryMB: boxLimits().memoryMB }, () => {
            box.give(runFrame({ word: '-', stdin: '/dev/null', env: {}, code: run.code }), true)
            return box.ended
          })
          return Buffer.from(stdout).toString() === 'hello\n'
        } catch {
          return false
        }
      }),
    )
    return new Set(tries.filter((_, index) => worked[index]).map(({ lang }) => lang))
  } finally {
    await slot.close()
  }
}

function enforced(house: House, cgroups: CgroupDriver | undefined): ReadonlySet<SandboxGuarantee> {
  return new Set<SandboxGuarantee>([
    ...(['filesystem', 'network', 'processes', 'environment', 'process-count', 'cpu', 'disk', 'file-count'] as const),
    ...(house.tools.seccomp === undefined ? [] : (['kernel'] as const)),
    ...(cgroups?.enforces.has('memory') === true ? (['memory'] as const) : []),
  ])
}

function told(
  version: string,
  house: House,
  languages: ReadonlySet<SandboxLanguage>,
  cgroups: CgroupDriver | undefined,
): { readonly detail: string; readonly fix?: string } {
  const parts = [
    version,
    cgroups?.detail ?? 'no control groups',
    house.tools.seccomp === undefined ? 'no seccomp' : 'seccomp',
    [...languages].join(' '),
  ]
  const detail = parts.join(', ')
  if (cgroups === undefined)
    return {
      detail,
      fix: 'Without control groups the memory of all processes together is only looked at, many times a second: run as root, or delegate one to this user (systemd-run --user --scope -p Delegate=yes).',
    }
  return { detail }
}

/** e.g. `bubblewrap 0.8.0`. */
async function version(bubblewrap: string): Promise<string> {
  try {
    return (await promisify(execFile)(bubblewrap, ['--version'], { cwd: '/', env: {} })).stdout.trim().slice(0, 100)
  } catch {
    return bubblewrap
  }
}

function refused(detail: string, fix: string): FoundHouse {
  return { probe: { ok: false, detail, fix }, enforces: new Set() }
}

function readSwitch(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
