/** Other systems beside which boxes are measured: a wrapper around the same tool of the system, and a container for each run by Podman's API. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import Docker from 'dockerode'
import { type Contender, HELLO, type Sample, spawnOnce, wait } from './sandbox-contenders.ts'

const run = promisify(execFile)
/** Rounds between two runs of what takes long. */
const RARELY = 6

export interface Peer {
  readonly contenders: readonly Contender[]
  /** One run, for throughput. */
  runBash(): Promise<Sample>
  close(): Promise<void>
}

/** Throws where it does not work here. */
export async function sandboxRuntime(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-srt-'))
  const before = process.cwd()
  // It protects and scans the folder that it is started in.
  process.chdir(folder)
  const config = { network: { allowedDomains: [], deniedDomains: [] }, filesystem: { denyRead: [], allowWrite: [folder], denyWrite: [] } }
  try {
    await SandboxManager.initialize(config)
    const start = async (command: string): Promise<Sample> => {
      const began = performance.now()
      const wrapped = await SandboxManager.wrapWithSandbox(command)
      const wrapMs = performance.now() - began
      const sample = await spawnOnce(['/usr/bin/bash', '-c', wrapped])
      SandboxManager.cleanupAfterCommand()
      return { firstMs: wrapMs + sample.firstMs, endMs: wrapMs + sample.endMs }
    }
    const contender = (group: string, command: string): Contender => ({
      name: '@anthropic-ai/sandbox-runtime 0.0.83',
      group,
      every: RARELY,
      sample: () => start(command),
      close: async () => {},
    })
    await start(HELLO.bash)
    return {
      contenders: [
        contender('bash', HELLO.bash),
        contender('python', `/usr/bin/python3 -I -S -c '${HELLO.python}'`),
        contender('js', `${process.execPath} -e '${HELLO.js}'`),
      ],
      runBash: () => start(HELLO.bash),
      close: async () => {
        await SandboxManager.reset()
        process.chdir(before)
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    process.chdir(before)
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Throws where it does not work here. Its images and containers lie in a folder of their own, which goes at the end. */
export async function podman(): Promise<Peer> {
  if (process.getuid?.() !== 0) throw new Error('it is measured as root only')
  const folder = mkdtempSync(join(tmpdir(), 'bench-podman-'))
  const socketPath = join(folder, 'api.sock')
  const store = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')]
  const runtime = existsSync('/usr/sbin/runc') ? ['--runtime', '/usr/sbin/runc'] : []
  const service = spawn('/usr/bin/podman', [...store, ...runtime, 'system', 'service', '--time=0', `unix://${socketPath}`], {
    stdio: 'ignore',
    cwd: '/',
  })
  const ended = new Promise<void>((resolve) => {
    service.once('exit', () => resolve())
    service.once('error', () => resolve())
  })
  const close = async (): Promise<void> => {
    service.kill('SIGTERM')
    await ended
    await run('/usr/bin/podman', [...store, 'system', 'reset', '--force']).catch(() => undefined)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const image = await smallImage(folder)
    for (let turns = 0; turns < 100 && !existsSync(socketPath); turns += 1) await wait(100)
    const docker = new Docker({ socketPath })
    await run('/usr/bin/podman', [...store, 'import', image, 'bench:latest'])
    const runBash = (): Promise<Sample> => runContainer(docker)
    await runBash()
    return {
      contenders: [{ name: 'Podman, a container each', group: 'bash', every: RARELY, sample: runBash, close: async () => {} }],
      runBash,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function runContainer(docker: Docker): Promise<Sample> {
  const began = performance.now()
  const container = await docker.createContainer({
    Image: 'bench:latest',
    Cmd: ['/usr/bin/bash', '-c', HELLO.bash],
    HostConfig: {
      NetworkMode: 'none',
      Memory: 512 * 1_048_576,
      PidsLimit: 64,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      // Root here may not raise limits, and those of a container's are higher than its own unless they are given.
      Ulimits: [
        { Name: 'nofile', Soft: 256, Hard: 256 },
        { Name: 'nproc', Soft: 64, Hard: 64 },
      ],
    },
  })
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true })
    let firstMs: number | undefined
    stream.on('data', () => {
      firstMs ??= performance.now() - began
    })
    const over = new Promise<void>((resolve, reject) => {
      stream.once('end', resolve)
      stream.once('error', reject)
    })
    await container.start()
    await over
    const endMs = performance.now() - began
    if (firstMs === undefined) throw new Error('a container said nothing')
    return { firstMs, endMs }
  } finally {
    await container.remove({ force: true })
  }
}

/** A root file system with a bash and what it is linked to, as an archive. */
async function smallImage(folder: string): Promise<string> {
  const root = join(folder, 'image')
  const { stdout } = await run('/usr/bin/ldd', ['/usr/bin/bash'])
  const files = ['/usr/bin/bash', ...[...stdout.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => (path === undefined ? [] : [path]))]
  for (const file of files) {
    mkdirSync(join(root, dirname(file)), { recursive: true })
    await run('/usr/bin/cp', ['-L', file, join(root, file)])
  }
  const archive = join(folder, 'image.tar')
  await run('/usr/bin/tar', ['-C', root, '-cf', archive, '.'])
  return archive
}
