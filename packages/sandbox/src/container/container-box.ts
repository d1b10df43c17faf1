/**
 * Owns one container from the request to its removal, with the volumes that are its own and the line to its first process. A container that did not
 * become what was asked for is removed before anybody hears of it. It ends with this process: its input does; what the daemon keeps of it then, whoever
 * comes next removes.
 */
import { Duplex } from 'node:stream'
import { AdjutantError, type Clock } from '@adjutant/core/contract'
import type Dockerode from 'dockerode'
import { type ContainerPlan, containerBody, volumesOf } from './container-body.ts'
import { type Daemon, said, statusOf } from './daemon.ts'
import { type WardenFacts, wardenFacts } from './warden-facts.ts'
import { WardenLine } from './warden-line.ts'

/** Milliseconds until the first process has spoken. */
const START_MS = 60_000
/** Attempts to remove what is still in use, and milliseconds between them. */
const REMOVALS = 40
const REMOVAL_MS = 50

export class ContainerBox {
  readonly line: WardenLine
  readonly facts: WardenFacts
  readonly #daemon: Daemon
  readonly #clock: Clock
  readonly #plan: ContainerPlan
  #closed: Promise<void> | undefined

  private constructor(daemon: Daemon, clock: Clock, plan: ContainerPlan, line: WardenLine, facts: WardenFacts) {
    this.#daemon = daemon
    this.#clock = clock
    this.#plan = plan
    this.line = line
    this.facts = facts
  }

  /** @throws AdjutantError SANDBOX_FAILED with what was said */
  static async start(daemon: Daemon, clock: Clock, plan: ContainerPlan): Promise<ContainerBox> {
    let line: WardenLine | undefined
    try {
      // All of them have ended before anything is removed again.
      const volumes = await Promise.allSettled(volumesOf(plan).map((volume) => daemon.ask(() => daemon.docker.createVolume(volume))))
      for (const volume of volumes) if (volume.status === 'rejected') throw volume.reason
      const container = await daemon.ask(() => daemon.docker.createContainer(containerBody(plan)))
      // Before it starts: it speaks at once.
      const stream = await container.attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true })
      if (!(stream instanceof Duplex)) throw new AdjutantError('SANDBOX_FAILED', 'the daemon gives no way to the container')
      line = new WardenLine(stream, plan.name)
      await daemon.ask(() => container.start())
      return new ContainerBox(daemon, clock, plan, line, wardenFacts(await firstWord(line, clock)))
    } catch (error) {
      line?.close()
      await removeAll(daemon, clock, plan).catch(() => undefined)
      throw AdjutantError.isInstance(error)
        ? error
        : new AdjutantError('SANDBOX_FAILED', `no container could be made: ${said(error)}`, { cause: error, outcome: 'not-run' })
    }
  }

  /** Ends everything in it, and leaves nothing of it with the daemon. @throws AdjutantError SANDBOX_FAILED when something stays */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      this.line.close()
      await removeAll(this.#daemon, this.#clock, this.#plan)
    })()
    return this.#closed
  }
}

async function firstWord(line: WardenLine, clock: Clock): Promise<unknown> {
  let stop: () => void = () => undefined
  const late = new Promise<never>((_, reject) => {
    stop = clock.after(START_MS, () => reject(new AdjutantError('SANDBOX_FAILED', `the container has not spoken for ${START_MS} ms`)))
  })
  try {
    return await Promise.race([line.hello, late])
  } finally {
    stop()
  }
}

async function removeAll(daemon: Daemon, clock: Clock, plan: ContainerPlan): Promise<void> {
  await removeContainer(daemon, clock, plan.name)
  await Promise.all(volumesOf(plan).map(({ Name = '' }) => removeVolume(daemon, clock, Name)))
}

/** Nothing there is fine. @throws AdjutantError SANDBOX_FAILED */
export async function removeContainer(daemon: Daemon, clock: Clock, name: string): Promise<void> {
  const container = daemon.docker.getContainer(name)
  await remove(daemon, clock, `container ${name}`, () => container.remove({ force: true, v: true }))
  // A daemon that removes it by itself may be at it still.
  for (let attempt = 1; attempt < REMOVALS && (await isThere(daemon, container)); attempt += 1) await pause(clock)
}

/** Nothing there is fine. @throws AdjutantError SANDBOX_FAILED */
export async function removeVolume(daemon: Daemon, clock: Clock, name: string): Promise<void> {
  const volume = daemon.docker.getVolume(name)
  await remove(daemon, clock, `volume ${name}`, () => volume.remove())
}

async function remove(daemon: Daemon, clock: Clock, what: string, call: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await daemon.ask(call)
      return
    } catch (error) {
      if (statusOf(error) === 404) return
      if (attempt === REMOVALS)
        throw new AdjutantError('SANDBOX_FAILED', `the ${what} could not be removed: ${said(error)}`, {
          hint: `Remove it by hand; the next process that makes containers with this daemon tries as well.`,
          cause: error,
        })
      await pause(clock)
    }
  }
}

async function isThere(daemon: Daemon, container: Dockerode.Container): Promise<boolean> {
  try {
    await daemon.ask(() => container.inspect())
    return true
  } catch {
    return false
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.after(REMOVAL_MS, resolve)
  })
}
