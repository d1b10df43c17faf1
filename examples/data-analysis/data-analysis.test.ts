import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { inflateSync } from 'node:zlib'
import { parseRecording, startReplay } from '@adjutant/core'
import { type CallStep, readCalls } from '../weekly-report/call-table.ts'
import { conversation } from './make-conversation.ts'
import { FOLDERS, prepare, whatIsMissing } from './prepare.ts'
import { STRIKES_FILE, strikesCsv } from './strikes-data.ts'

const HERE = import.meta.dirname
const CONDITIONS = process.execArgv.filter((word) => word.startsWith('--conditions'))

interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of this repository as a script sees it: nobody at a terminal. */
function node(
  args: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly stdin?: string } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...CONDITIONS, '--disable-warning=ExperimentalWarning', ...args], {
      cwd: join(HERE, '..', '..'),
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ADJUTANT_REPLAY_PACE: '0', ...options.env },
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
  })
}

const start = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
  node([join(HERE, 'start.js'), ...args], { env })

interface Picture {
  readonly width: number
  readonly height: number
  readonly colors: number
}

/** Reads a PNG whole: signature, header, all pixels. Own code on purpose: what nobody can decode is no picture. */
function readPng(bytes: Buffer): Picture {
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks: { readonly type: string; readonly data: Buffer }[] = []
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    chunks.push({ type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  assert.equal(chunks.at(-1)?.type, 'IEND')
  const header = chunks[0]?.data ?? Buffer.alloc(0)
  const [width, height, depth, color] = [header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]]
  assert.equal(depth, 8)
  assert.ok(color === 2 || color === 6, `colour type ${color}`)
  const pixel = color === 6 ? 4 : 3
  const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  const line = width * pixel
  assert.equal(raw.length, (line + 1) * height)
  const colors = new Set<string>()
  let above: Buffer = Buffer.alloc(line)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (line + 1)] ?? 0
    const row = Buffer.from(raw.subarray(y * (line + 1) + 1, (y + 1) * (line + 1)))
    for (let x = 0; x < line; x++) {
      const [left, up, corner] = [x < pixel ? 0 : (row[x - pixel] ?? 0), above[x] ?? 0, x < pixel ? 0 : (above[x - pixel] ?? 0)]
      row[x] = ((row[x] ?? 0) + predicted(filter, left, up, corner)) & 255
    }
    for (let x = 0; x < line; x += pixel) colors.add(row.toString('hex', x, x + 3))
    above = row
  }
  return { width, height, colors: colors.size }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  assert.equal(filter, 4)
  const sum = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

/** Figures from the file as it lies here, without the example's own code: a fault there must not be in the truth too. */
async function truth(): Promise<{
  readonly airports: ReadonlyMap<string, readonly string[]>
  readonly phases: ReadonlyMap<string, readonly string[]>
}> {
  const rows = (await readFile(STRIKES_FILE, 'utf8'))
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  assert.equal(rows.length, 833)
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const airports = new Map<string, readonly string[]>()
  for (const airport of new Set(rows.map((row) => row[1] ?? ''))) {
    const dates = rows.filter((row) => row[1] === airport && (row[0] ?? '') < '2002').map((row) => row[0] ?? '')
    const points = Array.from({ length: 12 }, (_, at) => ({ x: at, y: dates.filter((date) => date.startsWith(String(1990 + at))).length }))
    const [x, y] = [mean(points.map((point) => point.x)), mean(points.map((point) => point.y))]
    const slope = mean(points.map((point) => (point.x - x) * (point.y - y))) / mean(points.map((point) => (point.x - x) ** 2))
    const months = Array.from({ length: 12 }, (_, at) => dates.filter((date) => Number(date.split('-')[1]) === at + 1).length)
    airports.set(airport, [String(dates.length), slope.toFixed(2), String(Math.max(...months))])
  }
  const phases = new Map<string, readonly string[]>()
  for (const phase of new Set(rows.map((row) => row[3] ?? ''))) {
    const speeds = rows.filter((row) => row[3] === phase && row[8] !== '').map((row) => Number(row[8]))
    if (speeds.length > 0) phases.set(phase, [mean(speeds).toFixed(1), String(speeds.length)])
  }
  return { airports, phases }
}

function pictureOf(call: CallStep | undefined): Buffer {
  const part = call?.result.parts.find(({ type }) => type === 'image')
  assert.ok(part?.type === 'image' && part.mimeType === 'image/png', 'the result has no picture')
  return Buffer.from(part.data, 'base64')
}

const missing = await whatIsMissing({ env: process.env })
if (missing !== undefined) process.stderr.write(`the data analysis did not run: ${missing}\n`)

describe('the data analysis', { skip: missing ?? false, timeout: 300_000 }, () => {
  let run: Run
  let calls: readonly CallStep[] = []
  before(async () => {
    // Twice: a run must not trip over what the one before it left.
    await start()
    run = await start()
    calls = await readCalls(FOLDERS.sessions)
  })

  it('looks, fails at the gaps in the data, computes, and answers', () => {
    assert.equal(run.code, 0, run.stderr)
    assert.deepEqual(
      calls.map(({ call, result }) => [call.name, result.outcome]),
      [
        ['list_directory', 'ok'],
        ['read_file', 'ok'],
        ['python', 'failed'],
        ['python', 'ok'],
      ],
    )
    assert.match(
      calls[2]?.result.text ?? '',
      /833 rows from 1990-\d\d-\d\d to 2002-07-\d\d[\s\S]*empty: speed_knots 471[\s\S]*ValueError: could not convert/,
    )
    assert.match(run.stdout, /The picture: examples\/data-analysis\/out\/strikes\.png/)
  })

  it('draws a picture that is one: in the workspace, and the same back to the model', async () => {
    const kept = await readFile(FOLDERS.picture)
    const { width, height, colors } = readPng(kept)
    assert.ok(width >= 800 && height >= 400, `${width} × ${height}`)
    // Three airports, black and white, and what lies between where lines are smooth.
    assert.ok(colors > 50, `${colors} colours`)
    assert.ok(pictureOf(calls[3]).equals(kept))
    assert.match(calls[3]?.result.text ?? '', /\[files: strikes\.png \(PNG image, [^)]*shown\)\]/)
  })

  it('leaves nothing but the picture in the workspace', async () => {
    assert.deepEqual((await readdir(FOLDERS.out)).sort(), ['strikes.csv', 'strikes.png'])
  })

  it('computes in the box what the file says', async () => {
    const text = calls[3]?.result.text ?? ''
    const { airports, phases } = await truth()
    assert.equal(airports.size, 3)
    for (const [airport, [strikes = '', slope = '', most = '']] of airports)
      assert.match(text, new RegExp(`^${airport}: ${strikes} strikes, .* trend \\+${slope} a year, most in \\w+ \\(${most}\\)$`, 'm'))
    assert.ok(phases.size >= 5)
    for (const [phase, [mean = '', known = '']] of phases) assert.match(text, new RegExp(`^${phase}: mean ${mean} knots of ${known}$`, 'm'))
  })

  it('answers with figures of the file, each of which stands in a result', async () => {
    const answer = run.stdout.slice(0, run.stdout.search(/^call +outcome/m))
    const { airports, phases } = await truth()
    for (const [airport, [strikes = '', slope = '', most = '']] of airports)
      assert.match(answer, new RegExp(`- ${airport}: ${strikes} strikes, ${slope} more each year; most in \\w+ \\(${most}\\)`))
    for (const [phase, [mean = '', known = '']] of phases) assert.match(answer, new RegExp(`${phase} ${mean} knots \\(of ${known}\\)`))
    const numbersOf = (text: string): readonly string[] => text.match(/\d+(?:\.\d+)?/g) ?? []
    const seen = new Set(calls.flatMap(({ result }) => numbersOf(result.text)))
    // The years of the trend are the model's own choice.
    const unseen = numbersOf(answer).filter((number) => !seen.has(number) && number !== '1990')
    assert.deepEqual(unseen, [])
    assert.ok(numbersOf(answer).length > 20)
  })

  it('sends the picture to the model as a picture', async () => {
    await using provider = await startReplay(join(HERE, 'conversation.jsonl'), { pace: 'off' })
    const bodies: string[] = []
    const gate = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      bodies.push(body)
      const path = (request.url ?? '').replace(/^\/v1/, '')
      const answer = await fetch(`${provider.baseUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
        body,
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(await answer.text())
    })
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
    const address = gate.address()
    assert.ok(address !== null && typeof address === 'object')
    const env = { OPENAI_API_KEY: 'sk-of-a-person', OPENAI_BASE_URL: `http://127.0.0.1:${address.port}/v1` }
    const live = await start(['--model', 'openai:data-analysis-recording', '--approve', 'allow'], env)
    gate.close()
    assert.equal(live.code, 0, live.stderr)
    assert.equal(provider.remaining, 0)
    const [, base64 = ''] = /"url":"data:image\/png;base64,([A-Za-z0-9+/=]+)"/.exec(bodies.at(-1) ?? '') ?? []
    assert.ok(Buffer.from(base64, 'base64').equals(await readFile(FOLDERS.picture)))
    // The request before it had none: it is this call's picture.
    assert.doesNotMatch(bodies.at(-2) ?? '', /data:image/)
  })

  it('gives the box the workspace, and no other file of the machine', async () => {
    await prepare()
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-data-analysis-'))
    try {
      const word = `planted-${Math.random().toString(36).slice(2)}`
      const beside = join(FOLDERS.data, 'planted')
      await mkdir(beside)
      const files = [join(folder, 'planted.txt'), join(beside, 'planted.txt')]
      for (const file of files) await writeFile(file, word, { mode: 0o644 })
      const roots = [folder, FOLDERS.data, tmpdir(), '/proc/self/root/tmp', '/workspace/../tmp', HERE, '/workspace']
      // Looks for files of that name below each root, and says what it read. The word itself is not in the program.
      const program = `import os
for root in ${JSON.stringify(roots)}:
    for place, folders, names in os.walk(root):
        for name in names:
            if name in ('planted.txt', 'strikes.csv'):
                try:
                    with open(os.path.join(place, name)) as file: print('FOUND', place, name, file.read(60).splitlines()[0])
                except OSError: pass
print('LOOKED')`
      const decision = JSON.stringify({ action: 'call_tool', tool_name: 'python', parameters: { code: program } })
      const config = join(HERE, 'adjutant.yaml')
      const cli = join(HERE, '..', '..', 'packages', 'cli', 'src', 'entry.ts')
      const looked = await node([cli, 'exec', '--config', config, '--approve', 'allow', '--json'], { stdin: decision })
      assert.equal(looked.code, 0, looked.stderr)
      assert.match(looked.stdout, /LOOKED/)
      assert.match(looked.stdout, /FOUND \/workspace strikes\.csv date,airport/)
      assert.doesNotMatch(looked.stdout, new RegExp(`${word}|FOUND \\S+ planted`))
      // The same program where nothing holds it finds both: it can find.
      const free = await new Promise<string>((resolve, reject) => {
        const child = spawn('/usr/bin/python3', [
          '-c',
          program.replace(/^for root in .*$/m, `for root in ${JSON.stringify([folder, beside])}:`),
        ])
        let text = ''
        child.stdout.setEncoding('utf8').on('data', (piece: string) => {
          text += piece
        })
        child.on('error', reject)
        child.on('close', () => resolve(text))
      })
      assert.equal(free.split(word).length - 1, 2, free)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('the data analysis on a machine that lacks something', () => {
  it('says in one line that there is no box', async () => {
    // The only backend that may be asked is a remote one, and nobody gave its key.
    const line = (await whatIsMissing({ order: ['e2b'], env: {} })) ?? ''
    assert.match(line, /^No box for Python on this machine: install bubblewrap and python3.*\(SANDBOX_UNAVAILABLE\)$/)
  })

  it('says in one line that Python cannot draw', { skip: missing ?? false }, async () => {
    const line = (await whatIsMissing({ library: 'a_library_that_nobody_has' })) ?? ''
    assert.match(
      line,
      /^Python in the box cannot draw \(ModuleNotFoundError: [^\n]*\): install matplotlib, e\.g\. apt-get install python3-matplotlib$/,
    )
  })
})

describe('what the data analysis brings', () => {
  it('has the file that the package of the data gives', async () => {
    assert.equal(await readFile(STRIKES_FILE, 'utf8'), await strikesCsv(), 'run: node examples/data-analysis/strikes-data.ts')
  })

  it('has the conversation that make-conversation.ts writes from the data', async () => {
    const file = join(HERE, 'conversation.jsonl')
    const kept = await readFile(file, 'utf8')
    assert.equal(kept, await conversation(), 'run: node examples/data-analysis/make-conversation.ts')
    assert.equal(parseRecording(kept, file).replies.length, 4)
  })

  it('shows a picture that is one', async () => {
    const readme = await readFile(join(HERE, 'README.md'), 'utf8')
    const [, name = ''] = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(readme) ?? []
    assert.ok(readPng(await readFile(join(HERE, name))).colors > 50)
  })
})
