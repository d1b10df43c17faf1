import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CodeBench, skip } from '../../test/code-tools.ts'

const PNG =
  '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082'

let bench: CodeBench
before(async () => {
  bench = await CodeBench.open()
})
after(() => bench.close())

describe('python', { skip }, () => {
  it('runs by itself, or keeps its variables', async () => {
    await bench.call('python', { code: 'x = 41', session: true })
    assert.equal((await bench.call('python', { code: 'print(x + 1)', session: true })).text, '42')
    const alone = await bench.call('python', { code: 'print(x)' })
    assert.match(alone.text, /NameError.*\[exit code 1\]/s)
    assert.equal(alone.isError, true)
  })

  it('shows pictures as pictures, and lists files with what they are', async () => {
    const source = [
      `open('plot.png', 'wb').write(bytes.fromhex('${PNG}'))`,
      "open('table.csv', 'w').write('a,b\\n')",
      "open('fake.png', 'w').write('no picture')",
      "open('data.bin', 'wb').write(b'\\0\\1\\2')",
      "open('new\\nline', 'w').close()",
    ].join('\n')
    const { text, images, structured } = await bench.call('python', { code: source })
    assert.deepEqual(images, ['image/png'])
    assert.match(text, /^\[files: .*plot\.png \(PNG image, 67 bytes, shown\)/)
    for (const word of [
      'table.csv (text, 4 bytes)',
      'fake.png (text, 10 bytes)',
      'data.bin (binary data, 3 bytes)',
      'new?line (empty, 0 bytes)',
    ])
      assert.ok(text.includes(word), word)
    assert.ok(Array.isArray(structured.files) && structured.files.length === 5)
    assert.equal((await bench.call('python', { code: 'pass' })).text, '(no output)')
    assert.match((await bench.bash('ls; echo x >> table.csv')).text, /plot\.png.*\n\[files: table\.csv \(text, 6 bytes\)\]$/s)
  })

  it('keeps what libraries keep for later where nobody looks, as bash does, also in a folder of the host', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-cache-'))
    try {
      await using of = bench.make({ workspace: folder })
      const code = 'import os\nfor n in ("XDG_CACHE_HOME", "MPLCONFIGDIR"): os.makedirs(os.environ[n] + "/kept", exist_ok=True)'
      assert.equal((await bench.call('python', { code }, { of })).text, '(no output)')
      const said = await bench.call('bash', { command: 'mkdir -p "$XDG_CACHE_HOME/kept" && echo "$XDG_CACHE_HOME"' }, { of })
      assert.equal(said.text, '/tmp')
      assert.deepEqual(readdirSync(folder), [])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('lists no more than can be read', async () => {
    const { text } = await bench.call('python', { code: 'for n in range(50): open(f"many{n}.txt", "w").write("x")' })
    assert.match(text, /, and 30 more\]$/)
  })

  it('stops looking where there are too many, and says so once', async () => {
    const of = bench.make()
    const many = await bench.call('python', { code: 'for n in range(2001): open(f"many{n}.txt", "w").close()' }, { of })
    assert.match(many.text, /, and 1,981 more\]\n\[files: more than 2,000 in \/workspace; what changes is not listed any more\]$/)
    assert.equal((await bench.call('python', { code: 'open("another", "w").close()' }, { of })).text, '(no output)')
    await of.close()
  })

  it('follows no link out of the box when it looks at files', async () => {
    const { text, images } = await bench.bash('ln -s /etc/passwd stolen.txt; ln -s /proc/self/environ e.png; ls')
    assert.doesNotMatch(text, /\[files/)
    assert.deepEqual(images, [])
  })
})

describe('javascript', () => {
  it('runs without anything of the host', async () => {
    assert.equal((await bench.call('javascript', { code: 'console.log([3, 1, 2].sort().join())' })).text, '1,2,3')
    const failed = await bench.call('javascript', { code: 'console.log(typeof process); throw new Error("no")' })
    assert.match(failed.text, /undefined.*no.*\[exit code 1\]/s)
    await bench.call('javascript', { code: 'globalThis.x = 1', session: true })
    assert.equal((await bench.call('javascript', { code: 'console.log(x)', session: true })).text, '1')
  })
})
