/** What the backend of containers says where there is no daemon, or nothing that speaks with one. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxBackend } from '@adjutant/core/contract'
import { containerBackend } from './container-backend.ts'
import type { ContainerOptions } from './container-options.ts'

const is =
  (...codes: readonly string[]) =>
  (error: unknown) => {
    assert.ok(AdjutantError.isInstance(error) && codes.includes(error.code), String(error))
    return true
  }

describe('containers without a daemon', () => {
  const make = (options: Partial<ContainerOptions>): SandboxBackend => containerBackend({ clock: systemClock, ids: randomIds, ...options })

  it('say which daemon was looked for and what can be done', async () => {
    const probe = await make({ socket: '/nowhere/podman.sock' }).probe()
    assert.deepEqual([probe.ok, /\/nowhere\/podman\.sock/.test(probe.detail)], [false, true])
    assert.ok(probe.fix)
    const named = await make({ env: { DOCKER_HOST: 'unix:///nowhere/else.sock' } }).probe()
    assert.match(named.detail, /\/nowhere\/else\.sock/)
    const remote = await make({ env: { DOCKER_HOST: 'ssh://somebody@there' } }).probe()
    assert.match(remote.detail, /is no address of a daemon/)
    await assert.rejects(make({ socket: '/nowhere/podman.sock' }).open({}), is('SANDBOX_UNAVAILABLE'))
  })

  it('say how to install what speaks with a daemon where it is not installed', () => {
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ resolve: (name, context, next) => { if (name === 'dockerode') throw new Error('it is not there'); return next(name, context) } })`
    const program = `
      import { containerBackend } from ${JSON.stringify(new URL('./container-backend.ts', import.meta.url).href)}
      import { randomIds, systemClock } from '@adjutant/core'
      console.log(JSON.stringify(await containerBackend({ clock: systemClock, ids: randomIds }).probe()))`
    const words = [
      '--conditions=adjutant-source',
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      '--input-type=module-typescript',
      '-e',
      program,
    ]
    const probe = JSON.parse(execFileSync(process.execPath, words, { cwd: import.meta.dirname, encoding: 'utf8' }))
    assert.deepEqual(
      [probe.ok, /dockerode is not installed/.test(probe.detail), /npm install dockerode/.test(probe.fix)],
      [false, true, true],
    )
  })

  it('refuse settings that nobody can mean', () => {
    for (const wrong of [
      { image: '' },
      { image: 'two words' },
      { socket: '' },
      { runtime: ' ' },
      { cpus: 0 },
      { cpus: Number.NaN },
      { cpus: 1e9 },
    ])
      assert.throws(() => make(wrong), is('CONFIG_INVALID'), JSON.stringify(wrong))
  })
})
