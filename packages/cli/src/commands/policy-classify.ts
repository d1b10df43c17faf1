/** `adjutant policy classify`: what commands would do, without running any. Line by line, so that any number of them goes through. */
import type { CommandReading, ReadCommand } from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write } from '../cli-io.ts'
import { printableLine, shorten } from '../terminal/printable.ts'
import { type InputLine, linesOf, stdinChunks } from '../work/input.ts'

const HELP = `
Reads JSON lines {"id","command"} from stdin; "id" is any string or number. Nothing is run.
With --json one line for each: {"id","effect","reasons","parts"}, where effect is read, write or dangerous, reasons has the worst
first, and each part is {"start","end","effect","reason"} with offsets into the command (UTF-16), and for a program that is known
"program" and "words". A line that is no such object becomes {"line","problem"} in its place; the others are still answered.
Without --json: a table.

Exit: 0 all were classified, 1 some lines were bad, 2 wrong usage.

Example:
  echo '{"id":1,"command":"git status | head"}' | adjutant policy classify --lang bash --json
  adjutant policy classify --lang sql --dialect postgresql --json < statements.jsonl`

const LANGUAGES = ['bash', 'sql'] as const
const DIALECTS = ['postgresql', 'sqlite', 'any'] as const
/** Bytes of one line: far above the longest command that is read. */
const MOST_BYTES = 1_000_000
/** Characters of answers that are written at once. */
const BATCH = 32_768
const WIDEST = { id: 16, command: 60 } as const

export function addClassifyCommand(policy: Command, io: CliIo): void {
  policy
    .command('classify')
    .description('say what commands read from stdin would do: read, write or dangerous')
    .addOption(new Option('--lang <language>', 'the language of the commands').choices(LANGUAGES).makeOptionMandatory())
    .addOption(new Option('--dialect <dialect>', 'of SQL').choices(DIALECTS).default('any'))
    .option('--json', 'print JSON lines on stdout')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { lang, dialect, json } = self.optsWithGlobals()
      await classify(io, await openReader(String(lang), String(dialect)), json === true)
    })
}

/** Only the parser that is asked for is loaded. */
async function openReader(language: string, dialect: string): Promise<ReadCommand> {
  const { openBashReader, openSqlReader } = await import('@adjutant/tools/commands')
  if (language === 'bash') return openBashReader()
  return (await openSqlReader())(DIALECTS.find((known) => known === dialect) ?? 'any')
}

async function classify(io: CliIo, read: ReadCommand, json: boolean): Promise<void> {
  const say = json ? asJson : asRow
  let waiting = ''
  let bad = false
  for await (const line of linesOf(stdinChunks(io, 'the commands'), MOST_BYTES)) {
    const asked = parseLine(line)
    if (asked === undefined) continue
    if ('problem' in asked) bad = true
    waiting += say(asked, 'problem' in asked ? undefined : read(asked.command))
    if (waiting.length < BATCH) continue
    await write(io.stdout, waiting)
    waiting = ''
  }
  if (waiting !== '') await write(io.stdout, waiting)
  if (bad) io.exit(1)
}

type Asked =
  | { readonly id: string | number; readonly command: string }
  | { readonly line: number; readonly id?: string | number; readonly problem: string }

/** Undefined: an empty line. */
function parseLine(line: InputLine): Asked | undefined {
  const { number } = line
  if ('tooLong' in line) return { line: number, problem: `longer than ${MOST_BYTES} bytes` }
  const text = Buffer.from(line.bytes).toString('utf8').trim()
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { line: number, problem: 'not JSON; send one object {"id","command"} a line' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line: number, problem: 'not an object {"id","command"}' }
  const id = 'id' in value ? value.id : undefined
  const command = 'command' in value ? value.command : undefined
  if (typeof id !== 'string' && typeof id !== 'number') return { line: number, problem: '"id" is not a string or a number' }
  if (typeof command !== 'string') return { line: number, id, problem: '"command" is not a string' }
  return { id, command }
}

function asJson(asked: Asked, reading: CommandReading | undefined): string {
  if (reading === undefined) return `${JSON.stringify(asked)}\n`
  const { effect, reasons, parts } = reading
  // A word that is only known when it runs is `null`: JSON has no undefined.
  return `${JSON.stringify({ id: 'id' in asked ? asked.id : undefined, effect, reasons, parts })}\n`
}

function asRow(asked: Asked, reading: CommandReading | undefined): string {
  if ('problem' in asked || reading === undefined) {
    const { line, problem } = 'problem' in asked ? asked : { line: 0, problem: '' }
    return `${'bad line'.padEnd(9)}  ${`line ${line}`.padEnd(WIDEST.id)}  ${printableLine(problem)}\n`
  }
  const id = printableLine(shorten(String(asked.id), WIDEST.id)).padEnd(WIDEST.id)
  const command = shorten(printableLine(asked.command), WIDEST.command).padEnd(WIDEST.command)
  return `${reading.effect.padEnd(9)}  ${id}  ${command}  ${printableLine(reading.reasons.join('; '))}\n`.trimEnd().concat('\n')
}
