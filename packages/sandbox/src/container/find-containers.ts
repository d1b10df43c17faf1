/**
 * Owns finding out whether boxes can be made with a daemon here, and how good they are: a container is really made, in the best form that the daemon
 * takes, and looked at from within. What is missing is said with what a person can do about it. Leaves nothing when it fails.
 */
import { writeFileSync } from 'node:fs'
import { AdjutantError, type SandboxGuarantee, type SandboxLanguage, type SandboxProbe } from '@adjutant/core/contract'
import { listOf, recordOf, textOf } from '../e2b/json-value.ts'
import { defaultStateRoot, StateFolder } from '../host/state-folder.ts'
import { Turns } from '../pool/turns.ts'
import { boxLimits } from '../runs/limits.ts'
import type { ContainerForm } from './container-body.ts'
import { ContainerHouse, type ContainerHouseParts, type OpenedBox } from './container-house.ts'
import { type ContainerOptions, DEFAULT_IMAGE } from './container-options.ts'
import { containerSeccomp } from './container-seccomp.ts'
import { type Daemon, findDaemon, said, statusOf } from './daemon.ts'
import { sweepContainers } from './sweep-containers.ts'

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const GREETINGS = [
  { lang: 'bash', code: 'echo hello' },
  { lang: 'python', code: 'print("hello")' },
  { lang: 'js', code: 'console.log("hello")' },
] as const

export interface FoundContainers {
  readonly probe: SandboxProbe
  /** Absent when no box can be made. */
  readonly house?: ContainerHouse
  readonly enforces: ReadonlySet<SandboxGuarantee>
  readonly languages: ReadonlySet<SandboxLanguage>
}

/** Never rejects. */
export async function findContainers(options: ContainerOptions): Promise<FoundContainers> {
  const { clock, env = {}, socket, image = DEFAULT_IMAGE } = options
  const found = await findDaemon({ clock, env, ...(socket === undefined ? {} : { address: socket }) })
  if (!('daemon' in found)) return refused(found.problem, found.fix)
  const { daemon } = found
  let state: StateFolder | undefined
  try {
    const path = await imagePath(daemon, image, options.pull === true)
    if (path === undefined)
      return refused(
        `${daemon.title} has no image ${image}`,
        `Fetch it: ${daemon.isPodman ? 'podman' : 'docker'} pull ${image}; or name another with the setting "image", or let it be fetched with "pull".`,
      )
    if (options.runtime !== undefined && daemon.isPodman && daemon.runtime !== options.runtime)
      return refused(
        `${daemon.title} starts containers with ${daemon.runtime ?? 'a runtime of its own'}, not with ${options.runtime}, and takes no other word for it`,
        `Say runtime = "${options.runtime}" under [engine] in its containers.conf, or leave the setting out.`,
      )
    await sweepContainers(daemon, clock)
    state = daemon.isLocal ? new StateFolder(options.stateRoot ?? defaultStateRoot()) : undefined
    const parts = {
      daemon,
      clock,
      ids: options.ids,
      turns: new Turns('runs in containers', options.runsAtOnce ?? 32, options.runsWaiting ?? 1_000),
      image,
      path,
      network: options.network ?? {},
      ...(state === undefined ? {} : { state }),
      ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
      ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    }
    const { house, opened, form } = await firstThatWorks(parts, state)
    try {
      const languages = await tryLanguages(opened)
      const missing = [
        ...(form.limits ? [] : ['no limits of memory and processes']),
        ...(form.filter === 'none' ? ['no filter of system calls of ours'] : []),
        ...(form.rooms === 'sized' ? ['no limit of the number of files'] : []),
      ]
      const detail = [daemon.title, image, `Python ${opened.box.facts.python}`, [...languages].join(' '), ...missing].join(', ')
      const fix = form.limits
        ? {}
        : { fix: 'This daemon may not bound memory and processes: let root run it, or use a machine with control groups of version 2.' }
      return { probe: { ok: true, detail, ...fix }, house, enforces: opened.held, languages }
    } finally {
      await opened.sandbox.close()
    }
  } catch (error) {
    state?.remove()
    const problem = AdjutantError.isInstance(error) ? error.message : said(error)
    return refused(`${daemon.title}: ${problem}`, explain(problem, options))
  }
}

/** Where the image has its programs; undefined when there is no such image. @throws whatever the daemon says */
async function imagePath(daemon: Daemon, image: string, pull: boolean): Promise<string | undefined> {
  const look = async (): Promise<string | undefined> => {
    try {
      const { Config } = await daemon.ask(() => daemon.docker.getImage(image).inspect())
      const words = listOf(recordOf(Config).Env).map((word) => textOf(word) ?? '')
      return words.find((word) => word.startsWith('PATH='))?.slice('PATH='.length) ?? USUAL_PATH
    } catch (error) {
      if (statusOf(error) === 404) return undefined
      throw error
    }
  }
  const path = await look()
  if (path !== undefined || !pull) return path
  const progress = await daemon.docker.pull(image)
  await new Promise<void>((resolve, reject) => {
    daemon.docker.modem.followProgress(progress, (error) => (error === null ? resolve() : reject(error)))
  })
  return look()
}

type Parts = Omit<ContainerHouseParts, 'form' | 'filter'>

interface Working {
  readonly house: ContainerHouse
  readonly opened: OpenedBox
  readonly form: ContainerForm
}

/** The best form that the daemon takes. @throws AdjutantError what was said to the last one */
async function firstThatWorks(parts: Parts, state: StateFolder | undefined): Promise<Working> {
  const rules = containerSeccomp()
  const file = state === undefined ? undefined : `${state.path}/seccomp.json`
  if (file !== undefined) writeFileSync(file, rules, { mode: 0o444 })
  const inFile = file === undefined ? [] : (['file'] as const)
  const filters = parts.daemon.isPodman ? ([...inFile, 'inline', 'none'] as const) : (['inline', 'none'] as const)
  const rooms = parts.daemon.isPodman ? (['volumes', 'tmpfs', 'sized'] as const) : (['tmpfs', 'volumes', 'sized'] as const)
  let last: unknown
  for (const limits of [true, false])
    for (const room of rooms)
      for (const filter of filters) {
        const form: ContainerForm = { filter, rooms: room, limits }
        const house = new ContainerHouse({ ...parts, form, filter: filter === 'file' ? (file ?? '') : rules })
        try {
          const shape = { limits: boxLimits(), mounts: [], env: {}, allow: [] }
          return { house, opened: await house.open(shape, undefined, () => undefined), form }
        } catch (error) {
          last = error
          // Another form would not help.
          if (/python3|ctypes|not found|no such image/i.test(said(error))) throw error
        }
      }
  throw last
}

async function tryLanguages({ sandbox, box }: OpenedBox): Promise<ReadonlySet<SandboxLanguage>> {
  const { bash, python3, node } = box.facts.programs
  const there = { bash, python: python3, js: node }
  const works = new Set<SandboxLanguage>()
  for (const greeting of GREETINGS) {
    if (there[greeting.lang] === undefined) continue
    const report = await sandbox.run(greeting).catch(() => undefined)
    if (report !== undefined && Buffer.from(report.stdout).toString() === 'hello\n') works.add(greeting.lang)
  }
  return works
}

function explain(problem: string, { image = DEFAULT_IMAGE, runtime }: ContainerOptions): string {
  if (/python3|ctypes/i.test(problem)) return `The image ${image} needs python3 with ctypes; name another, e.g. ${DEFAULT_IMAGE}.`
  if (runtime !== undefined && problem.includes(runtime)) return `The daemon has no runtime ${runtime}: set it up there, or leave it out.`
  if (/hybrid mode/.test(problem)) return 'Let Podman use runc: runtime = "runc" under [engine] in /etc/containers/containers.conf.'
  return 'Look at the log of the daemon; does it make a container by hand?'
}

function refused(detail: string, fix: string): FoundContainers {
  return { probe: { ok: false, detail, fix }, enforces: new Set(), languages: new Set() }
}
