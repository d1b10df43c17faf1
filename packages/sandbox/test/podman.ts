/**
 * Owns a Podman for tests: its own storage in a temporary folder, its own service, and an image made of programs of this machine, so that nothing is
 * fetched. Nothing of it is seen by another Podman, and nothing stays.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export const IMAGE = 'localhost/adjutant-test:1'

/** What code of tests calls, beside bash, Python and Node. */
const PROGRAMS =
  'base64 bash cat chmod chown cp curl date dd df du env false find grep head id kill ln ls mkdir mkfifo mount mv nsenter printf ps readlink rm sed seq setsid sh sleep sort stat tail tee timeout touch tr true uname unshare wc yes'.split(
    ' ',
  )
const LEFT_OUT = ['__pycache__', 'test', 'idlelib', 'lib2to3', 'ensurepip', 'config-3.*', 'pydoc_data', 'turtledemo']

export interface TestPodman {
  /** Of its service. */
  readonly socket: string
  /** Its storage: nobody else's processes and mounts have this in their names. */
  readonly folder: string
  /** Runs it by hand; gives what it says. */
  podman(...words: readonly string[]): string
  close(): Promise<void>
}

/** A Podman that has just made a container, or why there is none. */
export async function startPodman(options: { readonly python?: boolean } = {}): Promise<TestPodman | string> {
  if (process.platform !== 'linux') return 'this is no Linux'
  for (const program of ['/usr/bin/podman', '/usr/bin/python3', '/usr/bin/ldd', '/usr/bin/tar'])
    if (!existsSync(program)) return `${program} is not installed (apt-get install podman runc python3)`
  if (!existsSync('/usr/sbin/runc') && !existsSync('/usr/bin/runc')) return 'runc is not installed (apt-get install runc)'
  if (process.geteuid?.() !== 0) return 'only root can make containers with limits here'
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-podman-'))
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, CONTAINERS_CONF: `${folder}/containers.conf`, TMPDIR: folder }
  writeFileSync(env.CONTAINERS_CONF, '[engine]\nruntime = "runc"\nevents_logger = "none"\n[containers]\nlog_driver = "none"\n')
  const words = (driver: string): readonly string[] => [
    ...['--root', `${folder}/root`, '--runroot', `${folder}/run`, '--tmpdir', `${folder}/tmp`],
    ...['--storage-driver', driver, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
  ]
  const call = (driver: string, ...more: readonly string[]): string =>
    execFileSync('/usr/bin/podman', [...words(driver), ...more], {
      // What watches a container leaves a file `oom` where it was started, when memory has run out.
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
    })
  let service: ChildProcess | undefined
  let driver = 'overlay'
  const close = async (): Promise<void> => {
    if (service !== undefined && service.exitCode === null && service.signalCode === null) {
      const ended = new Promise((resolve) => service?.once('exit', resolve))
      service.ref()
      service.kill('SIGTERM')
      await ended
    }
    try {
      call(driver, 'rm', '--all', '--force', '--time', '0')
    } catch {
      // It never got so far.
    }
    for (const path of mountsIn(folder).toReversed()) execFileSync('/usr/bin/umount', ['-l', path])
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    makeImage(`${folder}/image.tar`, folder, options.python !== false)
    let problem = ''
    for (driver of ['overlay', 'vfs']) {
      try {
        call(driver, 'import', `${folder}/image.tar`, IMAGE)
        const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=4096:4096', '--memory', '64m', '--pids-limit', '16']
        call(driver, 'run', '--rm', '--network', 'none', ...limits, IMAGE, '/usr/bin/true')
        problem = ''
        break
      } catch (error) {
        problem = `podman makes no container here: ${error instanceof Error ? error.message : String(error)}`
      }
    }
    if (problem !== '') throw new Error(problem)
    rmSync(`${folder}/image.tar`)
    const socket = `${folder}/podman.sock`
    service = spawn('/usr/bin/podman', [...words(driver), 'system', 'service', '--time=0', `unix://${socket}`], {
      cwd: folder,
      env,
      stdio: 'ignore',
    })
    service.unref()
    await listening(socket, service)
    return { socket, folder, podman: (...more) => call(driver, ...more), close }
  } catch (error) {
    await close()
    return (error instanceof Error ? error.message : String(error)).trim().replaceAll(/\s+/g, ' ').slice(0, 400)
  }
}

/** Mounts and processes that have to do with it. */
export function podmanLeft(folder: string, podman: TestPodman['podman']): readonly string[] {
  const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
  return [
    ...lines(podman('ps', '--all', '--format', '{{.Names}}')).map((name) => `container ${name}`),
    ...lines(podman('volume', 'ls', '--format', '{{.Name}}')).map((name) => `volume ${name}`),
    ...mountsIn(folder)
      .filter((path) => !path.endsWith('/root/overlay'))
      .map((path) => `mount ${path}`),
  ]
}

function mountsIn(folder: string): readonly string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path.startsWith(`${folder}/`))
}

function makeImage(file: string, folder: string, hasPython: boolean): void {
  const stage = `${folder}/stage`
  for (const path of ['proc', 'dev', 'sys', 'tmp', 'run', 'etc', 'workspace', 'opt', 'usr/bin', 'var/tmp']) {
    mkdirSync(`${stage}/${path}`, { recursive: true })
  }
  for (const [name, target] of [
    ['bin', 'usr/bin'] as const,
    ['sbin', 'usr/bin'] as const,
    ['lib', 'usr/lib'] as const,
    ['lib64', 'usr/lib64'] as const,
  ])
    symlinkSync(target, `${stage}/${name}`)
  writeFileSync(`${stage}/etc/passwd`, 'root:x:0:0:root:/:/bin/bash\n')
  const python = realpathSync('/usr/bin/python3')
  if (hasPython) symlinkSync(basename(python), `${stage}/usr/bin/python3`)
  symlinkSync(`/node/${basename(process.execPath)}`, `${stage}/usr/bin/node`)
  const programs = PROGRAMS.map((name) => `/usr/bin/${name}`).filter((path) => existsSync(path))
  const library = `/usr/lib/${basename(python)}`
  const all = [...programs, ...(hasPython ? [python] : [])]
  const loaded = hasPython
    ? execFileSync('/usr/bin/find', [`${library}/lib-dynload`, '-name', '_[cs]*.so'], { encoding: 'utf8' })
        .trim()
        .split('\n')
    : []
  const files = new Set([...all, ...libraries([...all, ...loaded, process.execPath])].map(inPlace))
  const leftOut = LEFT_OUT.map((name) => `--exclude=${name}`)
  const list = [...files, ...(hasPython ? [library] : [])].map((path) => path.slice(1))
  execFileSync('/usr/bin/tar', ['-C', '/', '--dereference', ...leftOut, '-cf', file, ...list])
  execFileSync('/usr/bin/tar', ['-C', dirname(process.execPath), '--transform', 's,^,node/,', '-rf', file, basename(process.execPath)])
  execFileSync('/usr/bin/tar', ['-C', stage, '-rf', file, '.'])
  rmSync(stage, { recursive: true, force: true })
}

/** Where it really is, under its own name: folders may be links, names of libraries are what programs ask for. */
function inPlace(path: string): string {
  return join(realpathSync(dirname(path)), basename(path))
}

function libraries(programs: readonly string[]): readonly string[] {
  const said = execFileSync('/usr/bin/ldd', [...programs], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return said.split('\n').flatMap((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1] ?? [])
}

async function listening(socket: string, service: ChildProcess): Promise<void> {
  for (;;) {
    if (service.exitCode !== null) throw new Error('the service of podman ended at once')
    const answers = await new Promise<boolean>((resolve) => {
      const one = connect(socket)
      one.once('connect', () => resolve(true))
      one.once('error', () => resolve(false))
      one.once('close', () => resolve(false))
      one.once('connect', () => one.destroy())
    })
    if (answers) return
    await new Promise((resolve) => setImmediate(resolve))
  }
}
