import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { probeSeccomp } from './probe.ts'

const ACTIONS = '/proc/sys/kernel/seccomp/actions_avail'

describe('probeSeccomp', () => {
  it('says yes where the kernel has what the filter answers', {
    skip: existsSync(ACTIONS) ? false : `${ACTIONS} is not here`,
  }, async () => {
    assert.deepEqual(await probeSeccomp({ arch: 'arm64' }), { ok: true, arch: 'arm64', detail: 'seccomp (arm64)' })
  })

  it('says why not, and what helps', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'seccomp-probe-'))
    try {
      const file = join(folder, 'actions')
      await writeFile(file, 'kill_thread trap errno trace log allow\n')
      const old = await probeSeccomp({ arch: 'x64', actionsFile: file })
      assert.ok(!old.ok)
      assert.match(old.detail, /lacks kill_process/)
      const none = await probeSeccomp({ arch: 'x64', actionsFile: join(folder, 'none') })
      assert.ok(!none.ok)
      assert.match(none.detail, /no seccomp filters/)
      const other = await probeSeccomp({ arch: 'riscv64' })
      assert.ok(!other.ok)
      assert.match(other.detail, /riscv64/)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
