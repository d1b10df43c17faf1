/** Runs one way of clipping and prints `milliseconds kilobytes` (peak resident memory). Started by clip.ts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLIP_WAYS, type Producer } from './clip-ways.ts'

/** Says that it is there, and, told to, writes that many megabytes of lines of 20 to 140 characters, as fast as they are read. */
const PROGRAM = `
let megabyte = ''
for (let n = 0; megabyte.length < 1048576; n++) megabyte += 'step ' + n + ' ' + 'abcdefghij'.repeat(n * 7919 % 13) + ' done\\n'
const piece = Buffer.from(megabyte.slice(0, 1048575) + '\\n')
let left = Number(process.argv[1])
const next = () => { while (left-- > 0) if (!process.stdout.write(piece)) return void process.stdout.once('drain', next) }
process.stdout.once('drain', () => process.stderr.write('flows'))
process.stdin.once('data', () => { process.stdin.destroy(); next() })
process.stderr.write('ready')
`

const [name, megabytes = '200'] = process.argv.slice(2)
const way = CLIP_WAYS.find((candidate) => candidate.name === name)
if (way === undefined) {
  process.stderr.write(`no way ${name}; there are ${CLIP_WAYS.map((candidate) => candidate.name).join(', ')}\n`)
  process.exit(2)
}
let start = 0
let tell = (): void => undefined
let flows: Promise<unknown> = Promise.resolve()
const producer: Producer = {
  async start(stdout) {
    const child = spawn(process.execPath, ['-e', PROGRAM, megabytes], { stdio: ['pipe', stdout, 'pipe'] })
    if (child.stderr === null || child.stdin === null) throw new Error('no pipes')
    const { stdin } = child
    tell = () => {
      stdin.write('go')
      tell = () => undefined
    }
    await once(child.stderr, 'data')
    flows = once(child.stderr, 'data')
    return child
  },
  async flows() {
    await flows
    start = performance.now()
  },
  go() {
    start = performance.now()
    tell()
  },
}
const folder = await mkdtemp(join(tmpdir(), 'bench-'))
try {
  const { lines, peakKilobytes = process.resourceUsage().maxRSS } = await way.take(producer, folder)
  const milliseconds = performance.now() - start
  if (lines !== 0 && lines < Number(megabytes) * 1_000) throw new Error(`${way.name} saw only ${lines} lines`)
  process.stdout.write(`${milliseconds.toFixed(1)} ${peakKilobytes}\n`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
