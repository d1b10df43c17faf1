/** `adjutant hint`: a failed command's output in, what it is and what to do next out. Bounded memory, whatever comes. */
import { readFile } from 'node:fs/promises'
import {
  AdjutantError,
  HINT_LANGUAGES,
  type Hint,
  type HintDictionary,
  type HintLanguage,
  isJsonObject,
  type JsonObject,
  mergeHintDictionaries,
  readHintDictionary,
  recogniseFailure,
} from '@adjutant/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { linesOf, stdinChunks } from '../work/input.ts'
import { usage } from './shared-options.ts'

const HELP = `
Reads the output of a failed command from stdin (best standard output and errors together) and says which failure it is, how grave (retry:
it may work later; clarify: correct something; final: go another way), what to do next, and the file and line that it names.
With exit code 0 nothing is ever recognised; without one the form of the text decides. Nothing recognised is no error: exit code 0.

With --many each line of stdin is one run, {"id", "stdout", "stderr", "exitCode", "command"?}, and each line printed is
{"id", "code", "grade", "hint", "location"?}, or {"id", "code": null} where nothing is recognised. Always JSON.

A dictionary is YAML or JSON: hints: [{ code, grade, patterns, hint }]; see docs/reference/hints.md.

Example:
  make 2>&1 | adjutant hint --exit-code 2
  adjutant hint --json --exit-code 127 --command "jqq ." < errors.txt
  adjutant hint --many --lang zh < runs.jsonl`

/** Bytes of the start and of the end that are kept: more than is looked at, in any encoding. */
const KEPT = 524_288
/** Bytes of one line of --many. */
const LONGEST_RUN = 64_000_000

interface HintOptions {
  readonly exitCode?: number
  readonly command?: string
  readonly language: HintLanguage
  readonly dictionary?: HintDictionary
}

export function addHintCommand(program: Command, io: CliIo): void {
  program
    .command('hint')
    .description('say what a failed command’s output on stdin means, and what to do next')
    .option('--exit-code <number>', 'what the command ended with; a negative one is the signal', exitCode)
    .option('--command <line>', 'the command line that was run')
    .addOption(new Option('--lang <language>', 'of the hint').choices(HINT_LANGUAGES).default('en'))
    .option('--dictionary <file>', 'your own entries, before the built-in ones (may be given again)', (file: string, before: unknown) => [
      ...(Array.isArray(before) ? before : []),
      file,
    ])
    .option('--many', 'one run a line of stdin, one answer a line of stdout')
    .option('--json', 'print one JSON document, null where nothing is recognised')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => hint(io, self.optsWithGlobals()))
}

function exitCode(text: string): number {
  const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(value)) return value
  throw new InvalidArgumentError('It must be a whole number.')
}

async function hint(io: CliIo, given: Readonly<Record<string, unknown>>): Promise<void> {
  const { exitCode: code, command, lang, dictionary, many, json } = given
  if (many === true && (code !== undefined || command !== undefined)) {
    throw usage('--many takes exit code and command from each line', 'Leave out --exit-code and --command, or --many.')
  }
  const files = Array.isArray(dictionary) ? dictionary.filter((file) => typeof file === 'string') : []
  const options: HintOptions = {
    language: lang === 'zh' ? 'zh' : 'en',
    ...(typeof code === 'number' ? { exitCode: code } : {}),
    ...(typeof command === 'string' ? { command } : {}),
    ...(files.length === 0 ? {} : { dictionary: mergeHintDictionaries(await Promise.all(files.map(readDictionary))) }),
  }
  if (many === true) await hintMany(io, options)
  else {
    const found = recogniseFailure(await readEnds(io), options)
    if (json === true) await writeJson(io.stdout, found ?? null)
    else await write(io.stdout, found === undefined ? 'nothing recognised\n' : words(found))
  }
}

async function readDictionary(file: string): Promise<HintDictionary> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new AdjutantError('USAGE', `the dictionary ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      hint: 'Name a YAML or JSON file of hints.',
      cause,
    })
  })
  return readHintDictionary(text, { file })
}

function words({ code, grade, hint: text, location }: Hint): string {
  const lines = [`${code} (${grade})`, printableLine(text)]
  if (location !== undefined) {
    const { file, line, column } = location
    lines.splice(1, 0, printableLine(`at ${file}:${line}${column === undefined ? '' : `:${column}`}`))
  }
  return `${lines.join('\n')}\n`
}

/** The start and the end of stdin: what lies between is not looked at. */
async function readEnds(io: CliIo): Promise<string> {
  let head = Buffer.alloc(0)
  let tail: Uint8Array[] = []
  let tailBytes = 0
  for await (const chunk of stdinChunks(io, 'the output of the failed command')) {
    const room = KEPT - head.byteLength
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)])
    const rest = chunk.subarray(Math.max(0, room))
    if (rest.byteLength === 0) continue
    tail.push(rest)
    tailBytes += rest.byteLength
    if (tailBytes <= 2 * KEPT) continue
    const last = Buffer.concat(tail).subarray(-KEPT)
    tail = [Buffer.from(last)]
    tailBytes = last.byteLength
  }
  return Buffer.concat([head, ...tail]).toString('utf8')
}

async function hintMany(io: CliIo, options: HintOptions): Promise<void> {
  for await (const line of linesOf(stdinChunks(io, 'the runs'), LONGEST_RUN)) {
    const run = 'tooLong' in line ? `longer than ${LONGEST_RUN} bytes` : readRun(Buffer.from(line.bytes).toString('utf8'))
    if (run === undefined) continue
    if (typeof run === 'string') {
      await writeJson(io.stdout, { line: line.number, error: run })
      io.exit(1)
      continue
    }
    const found = recogniseFailure(run.text, { ...options, ...run.known })
    await writeJson(io.stdout, { id: run.id ?? null, ...(found ?? { code: null }) })
  }
}

interface Run {
  readonly id: JsonObject[string] | undefined
  readonly text: string
  readonly known: { readonly exitCode?: number; readonly command?: string }
}

/** A text says what is wrong with the line; `undefined`: it is empty. */
function readRun(text: string): Run | string | undefined {
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : 'unreadable'}`
  }
  if (!isJsonObject(value)) return 'an object with id, stdout, stderr and exitCode is expected'
  const { id, stdout = '', stderr = '', exitCode: code = null, command = null } = value
  if (typeof stdout !== 'string' && stdout !== null) return '"stdout" must be a text'
  if (typeof stderr !== 'string' && stderr !== null) return '"stderr" must be a text'
  if (code !== null && !(typeof code === 'number' && Number.isSafeInteger(code))) return '"exitCode" must be a whole number or null'
  if (command !== null && typeof command !== 'string') return '"command" must be a text'
  const output = [stdout ?? '', stderr ?? ''].filter((part) => part !== '').join('\n')
  return { id, text: output, known: { ...(code === null ? {} : { exitCode: code }), ...(command === null ? {} : { command }) } }
}
