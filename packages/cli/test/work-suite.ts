/** What every store must let processes do that work on it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { RecordedRound } from './recording.ts'
import { BUILD, command, look, place, stop, until, worker } from './work-place.ts'

/** @param store gives the address of a store that does not exist yet */
export function workSuite(name: string, store: () => Promise<string>, skip: string | false = false): void {
  describe(`work on ${name}`, { skip, timeout: 240_000 }, () => {
    it('does what was left, carries the session on with it, and goes when it is told to', async () => {
      const here = await place(BUILD, { store: await store() })
      const started = await worker(here)
      const ran = await command(here, 'run', 'build it', '--detach', '--json')
      const session = String(ran.lines.find(({ type }) => type === 'session')?.id)
      assert.equal(ran.lines.at(-1)?.text, 'It is under way.')
      await writeFile(join(here.base, 'go'), '')
      await started.line('job', { what: 'build', outcome: 'done' })
      await started.line('job', { what: 'session.resume', outcome: 'done' })
      const steps = (await look(here, 'sessions', 'replay', session)).lines
      assert.deepEqual([steps.at(-1)?.type, steps.at(-1)?.text], ['answer', 'It is built.'])
      assert.equal(await stop(started), 143)
    })

    it('carries on what was decided, and tells who asked for it, signed, once', async () => {
      const received: { readonly id: unknown; readonly type: unknown }[] = []
      const bodies: string[] = []
      let third: () => void = () => {}
      const three = new Promise<void>((resolve) => {
        third = resolve
      })
      const hook = createServer((request, response) => {
        let body = ''
        request.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        request.on('end', () => {
          const { id, type } = JSON.parse(body)
          received.push({ id, type })
          bodies.push(body)
          response.writeHead(204).end()
          assert.match(String(request.headers['webhook-signature']), /^v1,/)
          if (received.length === 3) third()
        })
      }).listen(0, '127.0.0.1')
      await once(hook, 'listening')
      const address = hook.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      const secret = `whsec_${Buffer.alloc(32, 4).toString('base64')}`
      const config = [
        'approve: ask',
        'notify:',
        `  - webhook: { url: "http://127.0.0.1:${port}/", secrets: ["${secret}"], trustedHosts: ["127.0.0.1"] }`,
        '    on: [approval.waiting, approval.decided, job.ended]',
      ].join('\n')
      const rounds: readonly RecordedRound[] = [
        {
          text: 'Both.',
          calls: [
            ['write_file', { path: 'a.txt', content: 'written' }],
            ['build', { what: 'it', waits: true }],
          ],
        },
        { text: 'One is under way.' },
        { text: 'Both are done.' },
      ]
      const here = await place(rounds, { config, store: await store() })
      const ran = await command(here, 'run', 'do both', '--detach', '--json')
      const session = String(ran.lines.find(({ type }) => type === 'session')?.id)
      const [waiting] = [ran.lines.at(-1)?.waiting].flat().map(String)
      const started = await worker(here)
      await started.line('delivery', { outcome: 'delivered' })
      assert.equal((await look(here, 'approvals', 'approve', waiting ?? '')).code, 0)
      const last = async (): Promise<unknown> => (await look(here, 'sessions', 'replay', session)).lines.at(-1)?.text
      await until(async () => (await last()) === 'One is under way.')
      await writeFile(join(here.base, 'go'), '')
      await three
      await until(async () => (await last()) === 'Both are done.')
      assert.equal(await stop(started), 143)
      hook.close()
      assert.deepEqual(received.map(({ type }) => type).toSorted(), ['approval.decided', 'approval.waiting', 'job.ended'])
      assert.equal(new Set(received.map(({ id }) => id)).size, 3)
      assert.equal(await readFile(join(here.workspace, 'a.txt'), 'utf8'), 'written')
      assert.doesNotMatch(bodies.join(), /built it/)
    })

    it('finishes what it has in hand when it is told to stop, and takes nothing more', async () => {
      const here = await place([{ text: 'I build.', calls: [['build', { what: 'it', waits: true }]] }, { text: 'Under way.' }], {
        store: await store(),
      })
      const started = await worker(here, '--for', 'jobs', '--grace', '60')
      const ran = await command(here, 'run', 'build it', '--detach', '--json')
      const [id] = [ran.lines.at(-1)?.jobs].flat().map(String)
      await until(async () => (await look(here, 'jobs', 'show', id ?? '')).lines[0]?.state === 'running')
      started.child.kill('SIGTERM')
      await started.line('leaving')
      const later = await place([], { store: here.store })
      assert.equal((await look(later, 'jobs', 'show', id ?? '')).lines[0]?.state, 'running')
      await writeFile(join(here.base, 'go'), '')
      await started.line('job', { what: 'build', outcome: 'done' })
      await started.line('left')
      assert.equal(await started.ended(), 143)
      assert.equal((await look(here, 'jobs', 'show', id ?? '')).lines[0]?.state, 'succeeded')
    })

    it('leaves what takes too long to others, who do it again where it may be repeated', async () => {
      const here = await place([{ text: 'I build.', calls: [['build', { what: 'it', waits: true }]] }, { text: 'Under way.' }], {
        store: await store(),
      })
      const first = await worker(here, '--for', 'jobs', '--grace', '1')
      const ran = await command(here, 'run', 'build it', '--detach', '--json')
      const [id] = [ran.lines.at(-1)?.jobs].flat().map(String)
      await until(async () => (await look(here, 'jobs', 'show', id ?? '')).lines[0]?.state === 'running')
      first.child.kill('SIGTERM')
      await first.line('job', { what: 'build', outcome: 'left' })
      assert.equal(await first.ended(), 143)
      assert.equal((await look(here, 'jobs', 'show', id ?? '')).lines[0]?.state, 'queued')
      await writeFile(join(here.base, 'go'), '')
      const second = await worker(here, '--for', 'jobs')
      await second.line('job', { what: 'build', outcome: 'done', attempt: 2 })
      assert.equal(await stop(second), 143)
    })
  })
}
