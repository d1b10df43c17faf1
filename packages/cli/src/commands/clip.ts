/** `adjutant clip`: stdin in, what a model would get of it out. Bounded memory, whatever comes. */
import { fstatSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  AdjutantError,
  clipFile,
  openNamespace,
  type StreamClipOptions,
  type StreamClipped,
  StreamClipper,
  sessionId,
} from '@adjutant/core'
import type { ClipStrategy } from '@adjutant/core/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { usage } from './shared-options.ts'

const HELP = `
Reads anything from stdin: escape sequences and progress lines are resolved as a terminal would show them, then the text is shortened,
and each gap says how much was left out. Text within the limits comes out whole.
Strategies: auto looks at the text (JSON, a table, output with errors, else both ends); json keeps the structure and says how many items
are missing; table keeps the header and both ends of the rows; errors keeps the lines that carry an error, also from the middle.
With --head or --tail, auto keeps these lines; with both, more lines than these are clipped even within the limit.
Above 4 MB, auto looks for errors only with --failed.

Example:
  npm test 2>&1 | adjutant clip --limit 2000 --failed
  adjutant clip --head 20 --tail 40 --json < build.log
  curl -s https://example.org/items | adjutant clip --strategy json --tokens 500 --spill ./kept`

/** More could not be meant for a model, and is held in memory. */
const MOST_CHARS = 100_000_000
const STRATEGIES: readonly ClipStrategy[] = ['auto', 'head-tail', 'head', 'tail', 'json', 'table', 'errors']

export function addClipCommand(program: Command, io: CliIo): void {
  program
    .command('clip')
    .description('print what a model would get of the text on stdin')
    .option('--limit <characters>', 'characters at most (default: 8000)', wholeFrom(1))
    .option('--tokens <number>', 'estimated tokens at most (default: only characters count)', wholeFrom(1))
    .addOption(new Option('--strategy <name>', 'what to keep (default: auto)').choices(STRATEGIES))
    .option('--failed', 'the text is the output of something that failed: auto keeps its errors')
    .option('--head <lines>', 'of the first lines keep so many at most', wholeFrom(0))
    .option('--tail <lines>', 'of the last lines keep so many at most', wholeFrom(0))
    .option('--spill <folder>', 'keep the whole text below this folder when it is cut')
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
  const clipped = await clipInput(io, clipOptions(io, options))
  if (options.json === true) await writeJson(io.stdout, clipped)
  // Exactly what a model gets when it goes to a file or a program; a person's prompt begins on a line of its own.
  else await write(io.stdout, io.stdout.isTTY === true && !/\n$/.test(clipped.text) ? `${clipped.text}\n` : clipped.text)
}

function clipOptions(io: CliIo, options: Readonly<Record<string, unknown>>): StreamClipOptions {
  const { limit, tokens, strategy, failed, head, tail, spill } = options
  return {
    strategy: STRATEGIES.find((name) => name === strategy) ?? 'auto',
    ...(typeof limit === 'number' ? { limit } : {}),
    ...(typeof tokens === 'number' ? { tokens } : {}),
    ...(failed === true ? { failed } : {}),
    ...(typeof head === 'number' ? { head } : {}),
    ...(typeof tail === 'number' ? { tail } : {}),
    ...(typeof spill === 'string' ? { keep: { namespace: spillNamespace(resolve(io.cwd, spill)), callId: 'stdin' } } : {}),
  }
}

/** A session of its own below the folder: what is kept there is bounded like that of any session. */
function spillNamespace(root: string): ReturnType<typeof openNamespace> {
  return openNamespace({ root, sessionId: sessionId('clip') })
}

function clipInput(io: CliIo, options: StreamClipOptions): Promise<StreamClipped> {
  const { stdin, signal } = io
  if (stdin.isTTY === true)
    throw usage('the text to clip is read from stdin, and stdin is a terminal', 'Pipe it in: … | adjutant clip, or < file.')
  // A file is read in large blocks, which is much faster than its stream.
  if ('fd' in stdin && typeof stdin.fd === 'number' && fstatSync(stdin.fd).isFile()) return clipFile(stdin.fd, { ...options, signal })
  return clipStream(io, new StreamClipper(options))
}

/** Hands on stdin as it comes, by events: a promise for each piece would take longer than the clipping. */
async function clipStream({ stdin, signal }: CliIo, clipper: StreamClipper): Promise<StreamClipped> {
  try {
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(new AdjutantError('CANCELLED', 'stopped while the text to clip was read'))
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      stdin.on('data', (chunk: Uint8Array | string) => {
        const waiting = clipper.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
        if (waiting === undefined) return
        // The disk is slower than the producer.
        stdin.pause()
        waiting.then(() => stdin.resume(), reject)
      })
      stdin.on('end', resolve)
      stdin.on('error', reject)
    })
    return await clipper.end()
  } catch (error) {
    await clipper.abandon()
    throw error
  } finally {
    stdin.destroy()
  }
}
