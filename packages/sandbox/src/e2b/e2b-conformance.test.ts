/** The suite of all backends. Its code does what it likes, so the boxes behind the stub are real ones; where there are none, it is not run. */
import { it } from 'node:test'
import { systemClock } from '@adjutant/core'
import { namespaceStubBox, type SandboxPart, sandboxConformance, startE2bStub } from '@adjutant/testkit'
import { type E2bBackend, e2bBackend } from './e2b-backend.ts'

const box = namespaceStubBox()
// What the walls of a service hold is its own to say: nothing of that is proved by the stub's.
const parts: readonly SandboxPart[] = ['functional', 'limits']

/** Ends its service with itself. */
async function open(make: NonNullable<typeof box>): Promise<E2bBackend> {
  const stub = await startE2bStub({ box: make })
  const backend = e2bBackend({ clock: systemClock, apiUrl: stub.url, sandboxUrl: stub.url, apiKey: stub.apiKey })
  const dispose = backend[Symbol.asyncDispose].bind(backend)
  backend[Symbol.asyncDispose] = () => dispose().then(() => stub.close())
  return backend
}

if (box === undefined) it('e2b: the suite did not run: bubblewrap or nsenter is not installed', { skip: true }, () => undefined)
else sandboxConformance('e2b', () => open(box), { parts, timeoutMs: 30_000 })
