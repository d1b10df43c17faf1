/** That nothing is left of a host that was killed: its container at once, what the daemon keeps of it when the next one comes. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { IMAGE, podmanLeft, startPodman } from '../../test/podman.ts'
import { containerBackend } from './container-backend.ts'

it('leaves nothing of a host that was killed, and everything of one that lives', { timeout: 120_000 }, async (test) => {
  const podman = await startPodman()
  if (typeof podman === 'string') return test.skip(`THIS TEST DID NOT RUN: ${podman}`)
  const state = mkdtempSync(join(tmpdir(), 'adjutant-state-'))
  const open = (): ReturnType<typeof containerBackend> =>
    containerBackend({ clock: systemClock, ids: randomIds, socket: podman.socket, image: IMAGE, stateRoot: `${state}/boxes` })
  try {
    const settings = JSON.stringify({ socket: podman.socket, image: IMAGE, stateRoot: `${state}/boxes` })
    const program = `
      import { containerBackend } from ${JSON.stringify(new URL('./container-backend.ts', import.meta.url).href)}
      import { randomIds, systemClock } from '@adjutant/core'
      const backend = containerBackend({ clock: systemClock, ids: randomIds, ...${settings} })
      const box = await backend.open({})
      void box.run({ lang: 'bash', code: 'trap "" TERM HUP; setsid sleep 7654.3 & echo running; sleep 7654.3', output: () => console.log('running') })
    `
    const host = spawn(process.execPath, ['--conditions=adjutant-source', '--input-type=module-typescript', '-e', program], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => host.stdout.once('data', resolve))
    const kept = await open().open({})
    // Two hosts, one container each.
    assert.equal(podmanLeft(podman.folder, podman.podman).filter((what) => what.startsWith('container')).length, 2)
    const killed = new Promise((resolve) => host.once('exit', resolve))
    host.kill('SIGKILL')
    await killed
    const containers = (): number => podmanLeft(podman.folder, podman.podman).filter((what) => what.startsWith('container')).length
    while (containers() > 1) await new Promise((resolve) => setImmediate(resolve))
    const next = open()
    assert.ok((await next.probe()).ok)
    const left = podmanLeft(podman.folder, podman.podman)
    assert.equal(left.filter((what) => what.startsWith('container')).length, 1, left.join('\n'))
    assert.equal(left.filter((what) => what.startsWith('volume')).length, 3, left.join('\n'))
    assert.equal(Buffer.from((await kept.run({ lang: 'bash', code: 'echo hello' })).stdout).toString(), 'hello\n')
    await kept.close()
    await next[Symbol.asyncDispose]()
    assert.deepEqual(podmanLeft(podman.folder, podman.podman), [])
    assert.deepEqual(
      readdirSync(`${state}/boxes`).filter((name) => name.startsWith(`host-${host.pid}-`)),
      [],
    )
  } finally {
    await podman.close()
    rmSync(state, { recursive: true, force: true })
  }
})
