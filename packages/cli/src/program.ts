/** Builds the commander program: the typed command for real, all others as one line of help. */
import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { CliIo } from './cli-io.ts'
import { COMMANDS, type CommandEntry } from './command-table.ts'

export interface BuiltProgram {
  readonly program: Command
  /** What to name in "See … --help". */
  readonly command: string
}

async function packageVersion(): Promise<string> {
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const found: unknown = JSON.parse(text)
  return typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
}

/** The command that these words ask for; `help NAME` counts as NAME. */
function typedCommand(argv: readonly string[]): CommandEntry | undefined {
  const words = argv.filter((word) => !word.startsWith('-'))
  const name = words[0] === 'help' ? words[1] : words[0]
  return COMMANDS.find((entry) => entry.name === name)
}

/** Everything below `command`, itself included. */
function* family(command: Command): Generator<Command> {
  yield command
  for (const child of command.commands) yield* family(child)
}

export async function buildProgram(argv: readonly string[], io: CliIo): Promise<BuiltProgram> {
  const typed = typedCommand(argv)
  const program = new Command('adjutant')
    .description('The model decides, Adjutant executes: carries out the tool calls of language models, safely and in order.')
    .version(await packageVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print machine-readable output: one JSON document, or JSON lines')
    // Each command reads its own options; the global ones stand before its name, or are repeated by it.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nExample:\n  adjutant run "Compare this week with the last" --model replay:talk.jsonl\n\nEach command has its own --help with an example.',
    )
  for (const entry of COMMANDS) {
    if (entry === typed) {
      const add = await entry.load()
      add(program, io)
      program.commands.find((command) => command.name() === entry.name)?.summary(entry.summary)
    } else {
      program.command(entry.name).summary(entry.summary).description(entry.summary)
    }
  }
  for (const command of family(program)) {
    command.exitOverride()
    command.configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      // Said by main, in one form with all other failures.
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    if (command.commands.length === 0 && !command.options.some((option) => option.long === '--json')) {
      command.option('--json', 'print machine-readable output')
    }
  }
  program.hook('preAction', (_, action) => {
    // `adjutant --json doctor` and `adjutant doctor --json` mean the same, and both hear it under either.
    if (program.opts().json === true || action.opts().json === true) {
      program.setOptionValue('json', true)
      action.setOptionValue('json', true)
    }
  })
  return { program, command: typed === undefined ? 'adjutant' : `adjutant ${typed.name}` }
}
