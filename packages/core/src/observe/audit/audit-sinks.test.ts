import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { auditSinkConformance, sealedExamples } from '@adjutant/testkit'
import { AdjutantError } from '../../contract/errors.ts'
import { sessionId } from '../../contract/ids.ts'
import { FileAuditSink } from './file-audit-sink.ts'
import { MemoryAuditSink } from './memory-audit-sink.ts'

const folders: string[] = []
async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'adjutant-audit-'))
  folders.push(made)
  return made
}
after(() => Promise.all(folders.map((made) => rm(made, { recursive: true, force: true }))))

auditSinkConformance('MemoryAuditSink', async () => new MemoryAuditSink())
auditSinkConformance('FileAuditSink', async () => new FileAuditSink(join(await folder(), 'audit')))

const id = sessionId('s')
const code = (wanted: string, words: RegExp) => (error: unknown) =>
  AdjutantError.isInstance(error) && error.code === wanted && words.test(error.message)

describe('FileAuditSink', () => {
  it('is for its owner only', async () => {
    const root = join(await folder(), 'audit')
    const sink = new FileAuditSink(root)
    await sink.open(id)
    await sink.append(id, sealedExamples(id, 1))
    assert.equal((await stat(root)).mode & 0o777, 0o700)
    assert.equal((await stat(join(root, 's.jsonl'))).mode & 0o777, 0o600)
    await sink.close(id)
    assert.deepEqual(await readdir(root), ['s.jsonl'])
  })

  it('keeps aside what a crash cut off, wherever it was cut, and goes on after the last whole record', async () => {
    const root = await folder()
    const file = join(root, 's.jsonl')
    const examples = sealedExamples(id, 3)
    const whole = examples.map((record) => `${record.text}\n`).join('')
    const bytes = Buffer.from(whole)
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    for (let size = bytes.length - 1; size > lastLine; size -= 37) {
      await rm(root, { recursive: true, force: true })
      const sink = new FileAuditSink(root)
      await sink.open(id)
      await sink.append(id, examples)
      await sink.close(id)
      await truncate(file, size)
      const head = await sink.open(id)
      const keptIn = `s.${lastLine}.torn`
      assert.deepEqual(head, { seq: 2, hash: examples[1]?.hash, recovered: { bytes: size - lastLine, keptIn } })
      assert.deepEqual(await readFile(join(root, keptIn)), bytes.subarray(lastLine, size))
      await sink.append(id, examples.slice(2))
      await sink.close(id)
      assert.equal(await readFile(file, 'utf8'), whole)
    }
  })

  it('keeps what every crash left, also at the same place', async () => {
    const root = await folder()
    for (const torn of ['{"a', '{"b', '{"a']) {
      await appendFile(join(root, 's.jsonl'), torn)
      const sink = new FileAuditSink(root)
      assert.equal((await sink.open(id)).recovered?.bytes, 3)
      await sink.close(id)
    }
    assert.deepEqual((await readdir(root)).sort(), ['s.0.2.torn', 's.0.torn', 's.jsonl'])
  })

  it('does not carry on what is no log, nor follow a link', async () => {
    const root = await folder()
    await writeFile(join(root, 's.jsonl'), '{"version":1}\n')
    await assert.rejects(new FileAuditSink(root).open(id), code('CONFIG_INVALID', /s\.jsonl: the last whole line is not an audit record/))
    await writeFile(join(root, 'long.jsonl'), `${'x'.repeat(5_000_000)}\n`)
    await assert.rejects(new FileAuditSink(root).open(sessionId('long')), code('CONFIG_INVALID', /longer than any record/))
    await symlink(join(root, 'elsewhere'), join(root, 'linked.jsonl'))
    await assert.rejects(new FileAuditSink(root).open(sessionId('linked')), code('CONFIG_INVALID', /symbolic link/))
    // Nothing of it is left locked.
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.includes('lock')),
      [],
    )
  })

  it('finds the end of a long log by reading its end', async () => {
    const root = await folder()
    const sink = new FileAuditSink(root)
    const examples = sealedExamples(id, 2_000)
    await sink.open(id)
    await sink.append(id, examples)
    await sink.close(id)
    assert.deepEqual(await sink.open(id), { seq: 2_000, hash: examples.at(-1)?.hash })
    await sink.close(id)
  })

  it('does not write over what somebody else added', async () => {
    const root = await folder()
    const sink = new FileAuditSink(root)
    const [first, second] = sealedExamples(id, 2)
    assert.ok(first !== undefined && second !== undefined)
    await sink.open(id)
    await sink.append(id, [first])
    await appendFile(join(root, 's.jsonl'), 'mine\n')
    await assert.rejects(sink.append(id, [second]), code('CONFLICT', /somebody else changed it/))
    assert.match(await readFile(join(root, 's.jsonl'), 'utf8'), /\nmine\n$/)
    await sink.close(id)
  })

  it('is written by one process at a time, and taken over from one that was killed', async () => {
    const root = await folder()
    const script = `
      import { FileAuditSink } from ${JSON.stringify(new URL('./file-audit-sink.ts', import.meta.url).href)}
      await new FileAuditSink(${JSON.stringify(root)}).open('s')
      process.stdout.write('open')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '--conditions=adjutant-source', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const sink = new FileAuditSink(root)
    await assert.rejects(sink.open(id), code('CONFLICT', new RegExp(`being written by process ${child.pid}`)))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await sink.open(id)
    await sink.append(id, sealedExamples(id, 1))
    await sink.close(id)
    assert.deepEqual((await readdir(root)).sort(), ['s.jsonl'])
  })

  it('takes over from an earlier process with its own number, and from no other machine', async () => {
    const root = await folder()
    const lock = join(root, 's.jsonl.lock')
    await writeFile(lock, JSON.stringify({ pid: process.pid, started: 1, host: hostname() }))
    const sink = new FileAuditSink(root)
    await sink.open(id)
    await sink.close(id)
    await writeFile(lock, JSON.stringify({ pid: 1, started: 1, host: 'elsewhere' }))
    await assert.rejects(sink.open(id), code('CONFLICT', /process 1 on elsewhere/))
    await writeFile(lock, 'not ours')
    await assert.rejects(sink.open(id), code('CONFLICT', /does not know/))
  })
})
