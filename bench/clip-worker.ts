/** Runs one way of clipping and prints `milliseconds kilobytes` (peak resident memory). Started by clip.ts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CLIP_WAYS } from './clip-ways.ts'

/** Writes that many megabytes of lines of 20 to 140 characters, as fast as they are read. */
const PRODUCER = `
let megabyte = ''
for (let n = 0; megabyte.length < 1048576; n++) megabyte += 'step ' + n + ' ' + 'abcdefghij'.repeat(n * 7919 % 13) + ' done\\n'
const piece = Buffer.from(megabyte.slice(0, 1048575) + '\\n')
let left = Number(process.argv[1])
const next = () => { while (left-- > 0) if (!process.stdout.write(piece)) return void process.stdout.once('drain', next) }
next()
`

const [name, megabytes = '200'] = process.argv.slice(2)
const way = CLIP_WAYS.find((candidate) => candidate.name === name)
if (way === undefined) {
  process.stderr.write(`no way ${name}; there are ${CLIP_WAYS.map((candidate) => candidate.name).join(', ')}\n`)
  process.exit(2)
}
const producer = spawn(process.execPath, ['-e', PRODUCER, megabytes], { stdio: ['ignore', 'pipe', 'inherit'] })
await once(producer.stdout, 'readable')
const start = performance.now()
const lines = await way.take(producer.stdout)
const milliseconds = performance.now() - start
if (lines !== 0 && lines < Number(megabytes) * 1_000) throw new Error(`${way.name} saw only ${lines} lines`)
process.stdout.write(`${milliseconds.toFixed(1)} ${process.resourceUsage().maxRSS}\n`)
