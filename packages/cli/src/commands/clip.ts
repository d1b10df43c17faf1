/** `adjutant clip`: stdin in, what a model would get of it out. Bounded memory, whatever comes. */
import { AdjutantError, StreamClipper } from '@adjutant/core'
import { type Command, InvalidArgumentError } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { usage } from './shared-options.ts'

const HELP = `
Reads anything from stdin: escape sequences and progress lines are resolved as a terminal would show them, then the first and the
last lines are kept and one line in between says how much was left out. Text within the limit comes out whole.
With both --head and --tail, more lines than these are clipped even within the limit.

Example:
  npm test 2>&1 | adjutant clip --limit 2000
  adjutant clip --head 20 --tail 40 --json < build.log`

/** More could not be meant for a model, and is held in memory. */
const MOST_CHARS = 100_000_000

export function addClipCommand(program: Command, io: CliIo): void {
  program
    .command('clip')
    .description('print what a model would get of the text on stdin')
    .option('--limit <characters>', 'characters at most (default: 8000)', wholeFrom(1))
    .option('--head <lines>', 'of the first lines keep so many at most', wholeFrom(0))
    .option('--tail <lines>', 'of the last lines keep so many at most', wholeFrom(0))
    .option('--json', 'print one JSON document: the text and how much was left out')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => clip(io, self.optsWithGlobals()))
}

function wholeFrom(least: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= MOST_CHARS) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${MOST_CHARS}.`)
  }
}

async function clip(io: CliIo, options: Readonly<Record<string, unknown>>): Promise<void> {
  const { limit, head, tail, json } = options
  const clipper = new StreamClipper({
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(typeof head === 'number' ? { head } : {}),
    ...(typeof tail === 'number' ? { tail } : {}),
  })
  await readAll(io, (chunk) => void clipper.write(chunk))
  const clipped = await clipper.end()
  if (json === true) await writeJson(io.stdout, clipped)
  // Exactly what a model gets when it goes to a file or a program; a person's prompt begins on a line of its own.
  else await write(io.stdout, io.stdout.isTTY === true && !/\n$/.test(clipped.text) ? `${clipped.text}\n` : clipped.text)
}

/** Hands on stdin as it comes, by events: a promise for each piece would take longer than the clipping. */
function readAll(io: CliIo, take: (chunk: Uint8Array) => void): Promise<void> {
  const { stdin, signal } = io
  if (stdin.isTTY === true)
    throw usage('the text to clip is read from stdin, and stdin is a terminal', 'Pipe it in: … | adjutant clip, or < file.')
  return new Promise<void>((resolve, reject) => {
    const stop = (): void => reject(new AdjutantError('CANCELLED', 'stopped while the text to clip was read'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    stdin.on('data', (chunk: Uint8Array | string) => take(typeof chunk === 'string' ? Buffer.from(chunk) : chunk))
    stdin.on('end', resolve)
    stdin.on('error', reject)
  }).finally(() => stdin.destroy())
}
