/**
 * Owns finding whoever makes containers here, and speaking with it: Docker or Podman, over their common interface. What speaks it is loaded when
 * it is first needed, because most hosts never do. Nothing is asked of a daemon that has not answered once.
 */
import { existsSync, readFileSync } from 'node:fs'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type Dockerode from 'dockerode'
import { listOf, numberOf, recordOf, textOf } from '../e2b/json-value.ts'

/** Milliseconds until a daemon has answered; making a container may take long on a busy machine. */
const ANSWER_MS = 60_000
const FIRST_ANSWER_MS = 10_000

export interface FindDaemonOptions {
  readonly clock: Clock
  /** Path of a socket, `unix://…` or `tcp://…`. */
  readonly address?: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Daemon {
  readonly docker: Dockerode
  /** e.g. `Podman 4.3.1 at /run/podman/podman.sock`. */
  readonly title: string
  readonly isPodman: boolean
  /** It sees the same files as we do. */
  readonly isLocal: boolean
  /** What starts containers; undefined where it says nothing. */
  readonly runtime: string | undefined
  /** It runs without the rights of root. */
  readonly isRootless: boolean
  /** @throws AdjutantError SANDBOX_FAILED when it does not answer; whatever it says otherwise */
  ask<T>(call: () => Promise<T>): Promise<T>
}

export type DaemonFound = { readonly daemon: Daemon } | { readonly problem: string; readonly fix: string }

/** Where they are when nobody says. */
function usualSockets(env: FindDaemonOptions['env']): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR
  return [
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    ...(runtime?.startsWith('/') === true ? [`${runtime}/podman/podman.sock`, `${runtime}/docker.sock`] : []),
  ]
}

/** Never rejects. */
export async function findDaemon(options: FindDaemonOptions): Promise<DaemonFound> {
  const { address, env } = options
  let Docker: typeof Dockerode
  try {
    ;({ default: Docker } = await import('dockerode'))
  } catch {
    return { problem: 'the package dockerode is not installed', fix: 'Install it beside @adjutant/sandbox: npm install dockerode@5.0.1.' }
  }
  const named = address ?? nonEmpty(env.DOCKER_HOST)
  const places = named === undefined ? usualSockets(env).filter((path) => existsSync(path)) : [named]
  if (places.length === 0)
    return {
      problem: `no daemon that makes containers was found at ${usualSockets(env).join(', ')}`,
      fix: 'Start Docker, or Podman with: podman system service --time=0 & (or systemctl start podman.socket); elsewhere name its socket in DOCKER_HOST.',
    }
  const problems: string[] = []
  for (const place of places) {
    try {
      const settings = connection(place, env)
      return { daemon: await meet(new Docker(settings.options), settings, options.clock) }
    } catch (error) {
      problems.push(`${place}: ${said(error)}`)
    }
  }
  return {
    problem: `no daemon that makes containers answers: ${problems.join('; ')}`,
    fix: problems.some((problem) => problem.includes('EACCES'))
      ? 'This user may not speak with it: add the user to its group, or use a daemon of the user.'
      : 'Start it, or name another in DOCKER_HOST.',
  }
}

interface Connection {
  readonly place: string
  readonly options: Dockerode.DockerOptions
  readonly isLocal: boolean
}

/** @throws AdjutantError CONFIG_INVALID */
function connection(place: string, env: FindDaemonOptions['env']): Connection {
  const path = place.startsWith('unix://') ? place.slice('unix://'.length) : place
  if (path.startsWith('/')) return { place: path, options: { socketPath: path }, isLocal: process.platform === 'linux' }
  if (place.startsWith('npipe://')) return { place, options: { socketPath: place.slice('npipe://'.length) }, isLocal: false }
  const url = URL.parse(place)
  if (url === null || !['tcp:', 'http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new AdjutantError('CONFIG_INVALID', `${JSON.stringify(place.slice(0, 200))} is no address of a daemon`, {
      hint: 'Give the path of a socket, unix://PATH or tcp://HOST:PORT; what is reached by ssh needs a tunnel of its socket.',
    })
  const isSafe = url.protocol === 'https:' || nonEmpty(env.DOCKER_TLS_VERIFY) !== undefined
  const folder = nonEmpty(env.DOCKER_CERT_PATH)
  const keys =
    isSafe && folder !== undefined
      ? { ca: readFileSync(`${folder}/ca.pem`), cert: readFileSync(`${folder}/cert.pem`), key: readFileSync(`${folder}/key.pem`) }
      : {}
  const port = url.port === '' ? (isSafe ? 2376 : 2375) : Number(url.port)
  return { place, options: { protocol: isSafe ? 'https' : 'http', host: url.hostname, port, ...keys }, isLocal: false }
}

async function meet(docker: Dockerode, { place, isLocal }: Connection, clock: Clock): Promise<Daemon> {
  const version = await within(clock, FIRST_ANSWER_MS, () => docker.version())
  const info = recordOf(await within(clock, FIRST_ANSWER_MS, () => docker.info()))
  const names = listOf(recordOf(version).Components).map((component) => textOf(recordOf(component).Name) ?? '')
  const isPodman = names.some((name) => name.startsWith('Podman'))
  const security = listOf(info.SecurityOptions).map((option) => textOf(option) ?? '')
  return {
    docker,
    title: `${isPodman ? 'Podman' : 'Docker'} ${version.Version} at ${place}`,
    isPodman,
    isLocal,
    runtime: textOf(info.DefaultRuntime),
    isRootless: security.some((option) => /(^|=)rootless$/.test(option)),
    ask: (call) => within(clock, ANSWER_MS, call),
  }
}

/** What comes too late is not waited for, and is lost. */
async function within<T>(clock: Clock, ms: number, call: () => Promise<T>): Promise<T> {
  let stop: () => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    stop = clock.after(ms, () => reject(new AdjutantError('SANDBOX_FAILED', `the daemon of containers has not answered for ${ms} ms`)))
  })
  try {
    return await Promise.race([call(), late])
  } finally {
    stop()
  }
}

/** The status of a refusal; undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error ? numberOf(error.statusCode) : undefined
}

/** What a daemon said, without the frame around it. */
export function said(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message
    .replace(/^\(HTTP code \d+\) [a-z ]{0,40}- /, '')
    .trim()
    .slice(0, 500)
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim()
}
