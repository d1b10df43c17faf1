import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { COMMAND, runMain, spawnCommand } from '../../test/run-command.ts'

const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

describe('adjutant clip', () => {
  it('prints a short text as it is', async () => {
    for (const text of ['', 'a\n', 'no line end', numbered(100)]) {
      const { code, stdout } = await runMain(['clip'], { stdin: text })
      assert.deepEqual([code, stdout], [0, text])
    }
  })

  it('keeps the lines asked for and says what was left out', async () => {
    const { code, stdout, stderr } = await runMain(['clip', '--limit', '500', '--head', '2', '--tail', '1'], { stdin: numbered(1_000) })
    assert.deepEqual([code, stderr], [0, ''])
    assert.equal(stdout, 'line 1\nline 2\n[… 997 lines (8869 characters) left out …]\nline 1000\n')
  })

  it('keeps 8 000 characters where nothing is said', async () => {
    const { stdout } = await runMain(['clip'], { stdin: 'x'.repeat(100_000) })
    assert.ok(stdout.length <= 8_000 && stdout.length > 7_900)
    assert.match(stdout, /^x+\n\[… \d+ characters of a long line left out …\]\nx+$/)
  })

  it('resolves what was meant for a terminal', async () => {
    const { stdout } = await runMain(['clip'], { stdin: '\x1b[32m 10 %\r\x1b[K100 %\x1b[0m\r\nok\n' })
    assert.equal(stdout, '100 %\nok\n')
  })

  it('gives one JSON document', async () => {
    const { code, lines } = await runMain(['clip', '--json', '--head', '1', '--tail', '1'], { stdin: '1\n2\n3\n' })
    assert.equal(code, 0)
    assert.deepEqual(lines, [
      {
        text: '1\n[… 1 line (2 characters) left out …]\n3\n',
        clipped: true,
        omittedLines: 1,
        omittedChars: 2,
        totalLines: 3,
        totalChars: 6,
        binary: false,
        totalBytes: 6,
      },
    ])
  })

  it('says of binary input that it is', async () => {
    const { code, stdout } = await runMain(['clip'], { stdin: Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1) })
    assert.deepEqual([code, stdout], [0, '[binary output, 7 bytes, not shown]'])
  })

  it('refuses numbers that are none, naming the option, before reading anything', async () => {
    for (const [option, value] of [
      ['--limit', '0'],
      ['--limit', 'many'],
      ['--limit', '1e3'],
      ['--head', '-1'],
      ['--tail', '1.5'],
      ['--tail', ''],
    ] as const) {
      const { code, stdout, stderr } = await runMain(['clip', `${option}=${value}`], { stdin: 'text' })
      assert.deepEqual([code, stdout], [2, ''], `${option} ${value}`)
      assert.ok(stderr.includes(option), stderr)
    }
    assert.equal((await runMain(['clip', '--headd', '1'])).code, 2)
  })

  it('explains itself with an example', async () => {
    const { code, stdout } = await runMain(['clip', '--help'])
    assert.equal(code, 0)
    assert.match(stdout, /--limit <characters>.*Example:\n {2}npm test/s)
  })

  it('holds next to nothing of what it reads', async () => {
    let most = 0
    async function* input(): AsyncGenerator<Uint8Array> {
      for (let round = 0; round < 3_000; round++) {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
        yield Buffer.alloc(100_000, 'some text\n')
      }
    }
    const before = process.memoryUsage().arrayBuffers
    assert.equal((await runMain(['clip'], { stdin: input() })).code, 0)
    assert.ok(most - before < 120_000_000, `${most - before} bytes of 300 000 000 were held`)
  })

  it('ends at once when it is stopped', async () => {
    const stop = new AbortController()
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('begun\n')
      stop.abort()
      await new Promise(() => {})
    }
    const { code, stdout } = await runMain(['clip'], { stdin: silent(), signal: stop.signal })
    assert.deepEqual([code, stdout], [130, ''])
  })

  it('takes two hundred megabytes through the real program', async () => {
    const chunk = Buffer.from('a line of some length, as programs print them\n'.repeat(20_000))
    const rounds = Math.ceil(200_000_000 / chunk.length)
    async function* input(): AsyncGenerator<Uint8Array> {
      for (let round = 0; round < rounds; round++) yield chunk
    }
    const { code, stdout } = await spawnCommand(['clip', '--json'], { stdin: input(), env: { NODE_OPTIONS: '--max-old-space-size=64' } })
    assert.equal(code, 0)
    const clipped: { readonly totalLines?: unknown; readonly totalBytes?: unknown } = JSON.parse(stdout)
    assert.deepEqual([clipped.totalLines, clipped.totalBytes], [rounds * 20_000, rounds * chunk.length])
  })

  it('keeps what the strategy asks for', async () => {
    const rows = JSON.stringify(Array.from({ length: 900 }, (_, id) => ({ id })))
    const json = await runMain(['clip', '--limit', '300'], { stdin: rows })
    assert.ok(Array.isArray(JSON.parse(json.stdout)))
    assert.match((await runMain(['clip', '--limit', '300', '--strategy', 'head-tail'], { stdin: rows })).stdout, /of a long line left out/)
    const table = await runMain(['clip', '--limit', '300'], { stdin: `id,name,city\n${'1,a,b\n'.repeat(300)}` })
    assert.match(table.stdout, /^id,name,city\n(?:1,a,b\n)+\[… \d+ rows/)
    const log = `${numbered(5_000)}cannot go on: access denied\n${numbered(5_000)}`
    assert.doesNotMatch((await runMain(['clip'], { stdin: log })).stdout, /access denied/)
    assert.match((await runMain(['clip', '--failed'], { stdin: log })).stdout, /\ncannot go on: access denied\n/)
    assert.match((await runMain(['clip', '--strategy', 'tail', '--limit', '200'], { stdin: log })).stdout, /^\[… \d+ lines.*line 5000\n$/s)
    const { code, stderr } = await runMain(['clip', '--strategy', 'middle'], { stdin: log })
    assert.equal(code, 2)
    assert.match(stderr, /auto, head-tail, head, tail, json, table, errors/)
  })

  it('counts tokens', async () => {
    const { stdout } = await runMain(['clip', '--tokens', '100'], { stdin: '日本'.repeat(4_000) })
    assert.ok(stdout.length < 200 && stdout.length > 60)
  })

  it('keeps the whole text where it is told, once it is cut', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clip-'))
    try {
      assert.equal((await runMain(['clip', '--spill', 'kept'], { stdin: 'short', cwd: folder })).stdout, 'short')
      const { stdout } = await runMain(['clip', '--spill', 'kept', '--limit', '400'], { stdin: numbered(100_000), cwd: folder })
      const path = /whole text in (\S+): read_result \{"id":"spill_[\w-]+\.[\w-]{22}"\}/.exec(stdout)?.[1]
      assert.equal(path, join(folder, 'kept', 'clip', 'results', 'stdin.txt'))
      assert.equal(await readFile(path, 'utf8'), numbered(100_000))
      assert.deepEqual(await readdir(join(folder, 'kept', 'clip', 'results')), ['stdin.txt'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('reads a file that is stdin from where it stands', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'clip-'))
    try {
      await writeFile(join(folder, 'log'), numbered(200_000))
      await using file = await open(join(folder, 'log'))
      await file.read(Buffer.alloc(7), 0, 7)
      const [program, ...args] = COMMAND
      const child = spawn(program, [...args, 'clip', '--limit', '200'], { stdio: [file.fd, 'pipe', 'inherit'] })
      let stdout = ''
      assert.ok(child.stdout !== null)
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
      })
      const [code] = await once(child, 'close')
      assert.equal(code, 0)
      assert.match(stdout, /^line 2\n(?:line \d+\n)+\[… 1999\d\d lines .*\nline 200000\n$/s)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
