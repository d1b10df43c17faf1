/** The service's own clients, unchanged, judge the stub: what they can do with it is what they can do with the service. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type E2bStub, startE2bStub } from '@adjutant/testkit'
import { Sandbox as CodeSandbox } from '@e2b/code-interpreter'
import { CommandExitError, NotFoundError, Sandbox } from 'e2b'

describe('the official clients and the stub', () => {
  let stub: E2bStub
  before(async () => {
    stub = await startE2bStub()
  })
  after(() => stub.close())
  const options = (): { readonly apiKey: string; readonly apiUrl: string; readonly sandboxUrl: string } => ({
    apiKey: stub.apiKey,
    apiUrl: stub.url,
    sandboxUrl: stub.url,
  })

  it('make a box, run commands in it and end it', async () => {
    const box = await Sandbox.create(options())
    assert.ok(stub.boxes.has(box.sandboxId))
    assert.equal((await box.commands.run('echo out; echo err >&2; echo "$GIVEN"', { envs: { GIVEN: 'ü' } })).stdout, 'out\nü\n')
    await assert.rejects(box.commands.run('echo said; echo why >&2; exit 3'), (error) => {
      assert.ok(error instanceof CommandExitError)
      assert.deepEqual([error.exitCode, error.stdout, error.stderr], [3, 'said\n', 'why\n'])
      return true
    })
    const cat = await box.commands.run('cat', { background: true, stdin: true })
    assert.ok((await box.commands.list()).some(({ pid }) => pid === cat.pid))
    await box.commands.sendStdin(cat.pid, 'typed')
    await cat.closeStdin()
    assert.equal((await cat.wait()).stdout, 'typed')
    const sleeping = await box.commands.run('sleep 1000', { background: true })
    assert.equal(await sleeping.kill(), true)
    await assert.rejects(sleeping.wait(), CommandExitError)
    assert.equal(await box.commands.kill(sleeping.pid), false)
    assert.equal(await box.kill(), true)
    assert.equal(await box.kill(), false)
    assert.equal(stub.boxes.size, 0)
  })

  it('write, read, list, move and remove files', async () => {
    const box = await Sandbox.create(options())
    const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index & 255)
    await box.files.write('deep/data.bin', new Blob([bytes]))
    assert.deepEqual(Buffer.from(await box.files.read('deep/data.bin', { format: 'bytes' })), Buffer.from(bytes))
    await box.files.write('deep/数.txt', 'text 🧭')
    assert.equal(await box.files.read('deep/数.txt'), 'text 🧭')
    assert.deepEqual((await box.files.list('deep')).map(({ name, type }) => `${name} ${type}`).sort(), ['data.bin file', '数.txt file'])
    assert.equal(await box.files.makeDir('deep'), false)
    assert.equal(await box.files.makeDir('other'), true)
    await box.files.rename('deep/data.bin', 'other/moved.bin')
    assert.equal((await box.files.getInfo('other/moved.bin')).size, 1_000)
    await box.files.remove('other')
    assert.equal(await box.files.exists('other'), false)
    await assert.rejects(box.files.read('nowhere'), NotFoundError)
    await box.kill()
  })

  it('run code that keeps its variables', async () => {
    const box = await CodeSandbox.create(options())
    await box.runCode('x = 20')
    const twice = await box.runCode('print("said")\nx * 2 + 2')
    assert.deepEqual([twice.text, twice.logs.stdout, twice.error], ['42', ['said', '\n'], undefined])
    assert.equal((await box.runCode('1 / 0')).error?.name, 'ZeroDivisionError')
    const context = await box.createCodeContext({ language: 'javascript' })
    assert.deepEqual((await box.runCode('console.log(40 + 2)', { context })).logs.stdout, ['42\n'])
    await box.removeCodeContext(context)
    await box.kill()
  })

  it('see the life of boxes', async () => {
    const box = await Sandbox.create({ ...options(), metadata: { of: 'this test' } })
    await box.setTimeout(60_000)
    assert.equal((await box.getInfo()).sandboxId, box.sandboxId)
    const found = await Sandbox.list({ ...options(), query: { metadata: { of: 'this test' } } }).nextItems()
    assert.deepEqual(
      found.map(({ sandboxId }) => sandboxId),
      [box.sandboxId],
    )
    const again = await Sandbox.connect(box.sandboxId, options())
    assert.equal((await again.commands.run('echo here')).stdout, 'here\n')
    await stub.vanish(box.sandboxId)
    await assert.rejects(box.commands.run('echo gone'))
    await assert.rejects(Sandbox.create({ ...options(), apiKey: `e2b_${'0'.repeat(40)}` }), /401|API key/i)
  })
})
