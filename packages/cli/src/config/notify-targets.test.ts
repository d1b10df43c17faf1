import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { runMain } from '../../test/run-command.ts'
import { loadConfig } from './load-config.ts'
import { readNotify } from './notify-targets.ts'

let root = ''
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'adjutant-notify-'))
  await mkdir(join(root, 'workspace'))
})
after(() => rm(root, { recursive: true, force: true }))

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const config = async (text: string): Promise<string> => {
  const file = join(root, 'adjutant.yaml')
  await writeFile(file, `workspace: ./workspace\nstore: ./store.db\n${text}`)
  return file
}
const env = { SECRET: secret }

describe('notify in a configuration', () => {
  it('names targets, with secrets from the environment and certificates from files beside it', async () => {
    await writeFile(join(root, 'ca.pem'), 'CERTIFICATE')
    const file = await config(
      [
        'notify:',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the configuration's
        '  - webhook: { url: "https://ops.example.com/x", secrets: ["${SECRET}"], trustedHosts: [ops.corp], ca: ca.pem }',
        '    on: [approval.waiting, job.ended]',
        '    links: https://adjutant.example.com',
        '  - email: { smtp: { host: mail.example.com, tls: implicit }, from: a@example.com, to: [b@example.com] }',
        '    on: [approval.expired]',
      ].join('\n'),
    )
    const { notify } = await loadConfig({ cwd: root, env }, file)
    const [webhook, email] = await readNotify(notify)
    assert.deepEqual(webhook, {
      webhook: { url: 'https://ops.example.com/x', secrets: [secret], trustedHosts: ['ops.corp'], ca: 'CERTIFICATE' },
      on: ['approval.waiting', 'job.ended'],
      links: 'https://adjutant.example.com',
    })
    assert.deepEqual(email, {
      email: { smtp: { host: 'mail.example.com', tls: 'implicit' }, from: 'a@example.com', to: ['b@example.com'] },
      on: ['approval.expired'],
    })
  })

  it('is refused where it says what there is not, or what cannot be right', async () => {
    const load = async (text: string): Promise<unknown> => loadConfig({ cwd: root, env }, await config(text))
    await assert.rejects(load('notify:\n  - webhook: { url: "https://a.example", secrets: [x] }\n    on: [job.began]\n'), {
      code: 'CONFIG_INVALID',
      message: /adjutant\.yaml:\d+:\d+/,
    })
    await assert.rejects(load('notify:\n  - on: [job.ended]\n'), { code: 'CONFIG_INVALID' })
    await assert.rejects(load('notify:\n  - webhook: { url: "https://a.example", secrets: [] }\n    on: [job.ended]\n'), {
      code: 'CONFIG_INVALID',
    })
    const short = await config('notify:\n  - webhook: { url: "https://a.example", secrets: [whsec_short] }\n    on: [job.ended]\n')
    const { code, stderr } = await runMain(['sessions', 'list', '--config', short], { cwd: root })
    assert.equal(code, 2, stderr)
    assert.match(stderr, /notify\[0\]\.webhook\.secrets\[0\] is no secret/)
    assert.doesNotMatch(stderr, /whsec_short/)
    const missing = await config(
      `notify:\n  - webhook: { url: "https://a.example", secrets: ["${secret}"], ca: no.pem }\n    on: [job.ended]\n`,
    )
    const told = await runMain(['sessions', 'list', '--config', missing], { cwd: root })
    assert.equal(told.code, 2)
    assert.match(told.stderr, /no\.pem/)
  })
})
