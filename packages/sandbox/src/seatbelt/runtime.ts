/**
 * Owns the one runtime that a process has. Its manager is a global with one configuration: all boxes of this process share it, and each run brings
 * its own walls. Whoever else in this process has configured it keeps it: then there are no boxes here. Loaded when the first box is made.
 */
import { AdjutantError } from '@adjutant/core/contract'

type Runtime = typeof import('@anthropic-ai/sandbox-runtime')

let users = 0
let opened: Promise<Runtime> | undefined
/** Our own: it stays known to the manager when that was reset. */
let configured: unknown
let closing: Promise<void> = Promise.resolve()

export interface RuntimeLease {
  readonly runtime: Runtime
  /** The last one to let go ends the proxies of the runtime. Safe to call twice. */
  release(): Promise<void>
}

/** @throws AdjutantError SANDBOX_UNAVAILABLE when it is not installed, in use, or does not work here */
export async function leaseRuntime(): Promise<RuntimeLease> {
  users += 1
  opened ??= closing.then(open)
  let held = true
  const release = async (): Promise<void> => {
    if (!held) return
    held = false
    users -= 1
    if (users > 0) return
    const before = opened
    opened = undefined
    closing = (async () => {
      const runtime = await before?.catch(() => undefined)
      await runtime?.SandboxManager.reset()
    })()
    await closing
  }
  try {
    return { runtime: await opened, release }
  } catch (error) {
    await release()
    throw error
  }
}

/** The package; undefined where it is not installed. */
export async function loadRuntime(): Promise<Runtime | undefined> {
  try {
    return await import('@anthropic-ai/sandbox-runtime')
  } catch {
    return undefined
  }
}

async function open(): Promise<Runtime> {
  const runtime = await loadRuntime()
  if (runtime === undefined)
    throw new AdjutantError('SANDBOX_UNAVAILABLE', 'the package @anthropic-ai/sandbox-runtime is not installed', {
      hint: 'npm install @anthropic-ai/sandbox-runtime',
    })
  const { SandboxManager } = runtime
  const before = SandboxManager.getConfig()
  if (before !== undefined && before !== configured)
    throw new AdjutantError('SANDBOX_UNAVAILABLE', 'this process has configured @anthropic-ai/sandbox-runtime for something else', {
      hint: 'It has one configuration in a process: make boxes in another process, or use another backend.',
    })
  // Closed on all sides: a run that brought no walls of its own could do nothing.
  await SandboxManager.initialize({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: ['/'], allowWrite: [], denyWrite: [] },
  })
  configured = SandboxManager.getConfig()
  return runtime
}
