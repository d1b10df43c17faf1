import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CLIP_WAYS, type ClipWay } from './clip-ways.ts'
import { printTable, type Row } from './table.ts'

const MEGABYTES = 200
const ROUNDS = 3
const WORKER = fileURLToPath(new URL('./clip-worker.ts', import.meta.url))

interface Figures {
  readonly megabytesPerSecond: number
  readonly peakMegabytes: number
}

/**
 * 200 MB of a program's output reduced to what a model gets, in ways that people do it, beside the shell's `cat > file`. Each runs in a
 * process of its own, so that its peak memory is its own, and takes the output of a producer that it starts; time counts from the
 * moment at which the producer is told to write. Peak memory is that of the process that reads: for `cat` and for `adjutant clip` that
 * is theirs. Best of three; the ratio is to a reader that only throws the bytes away.
 */
export async function benchClip(): Promise<void> {
  const measured: { readonly way: ClipWay; readonly figures: Figures }[] = []
  for (const way of CLIP_WAYS) {
    const rounds: Figures[] = []
    for (let round = 0; round < (way.slow ? 1 : ROUNDS); round += 1) rounds.push(await measure(way.name))
    measured.push({
      way,
      figures: {
        megabytesPerSecond: Math.max(...rounds.map(({ megabytesPerSecond }) => megabytesPerSecond)),
        peakMegabytes: Math.min(...rounds.map(({ peakMegabytes }) => peakMegabytes)),
      },
    })
  }
  const pipe = measured[0]?.figures
  if (pipe === undefined) return
  const rows: Row[] = measured.map(({ way, figures }) => [
    way.title,
    figures.megabytesPerSecond,
    figures.megabytesPerSecond / pipe.megabytesPerSecond,
    figures.peakMegabytes,
    figures.peakMegabytes - pipe.peakMegabytes,
  ])
  printTable(`Clip ${MEGABYTES} MB of output`, ['', 'MB/s', '× pipe', 'peak MB', 'more than pipe'], rows)
}

function measure(way: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const worker = spawn(process.execPath, [...process.execArgv, WORKER, way, String(MEGABYTES)], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    worker.stdout.setEncoding('utf8')
    worker.stdout.on('data', (text: string) => {
      said += text
    })
    worker.on('error', reject)
    worker.on('close', (code) => {
      const [, milliseconds, kilobytes] = /^(\d+(?:\.\d+)?) (\d+)$/.exec(said.trim()) ?? []
      if (code !== 0 || milliseconds === undefined || kilobytes === undefined) reject(new Error(`${way} ended with ${code}: ${said}`))
      else resolve({ megabytesPerSecond: MEGABYTES / (Number(milliseconds) / 1_000), peakMegabytes: Number(kilobytes) / 1_024 })
    })
  })
}
