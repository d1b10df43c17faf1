/** `adjutant tools build`: writes down what plain functions are as tools, so that whoever runs them needs no compiler. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { AdjutantError } from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { loadReflect } from '../config/function-tools.ts'
import { printableLine } from '../terminal/printable.ts'
import { writeProblems } from './listing.ts'

const HELP = `
Each exported function with a doc comment becomes a tool. Name modules, or folders of them (tests, *.d.ts and what begins with
_ or . are passed over). Nothing of them is run. Load the file with tools.functions in the configuration, or with
loadReflectedTools of @adjutant/core. Its paths are relative to the file, and the same sources give the same bytes.
Warnings are said on stderr. When a function cannot be described, each is said with file, line and type, and nothing is written.
Exit: 0 written, or as it should be with --check; 1 a function cannot be described, or --check found a difference; 2 wrong usage.

Example:
  adjutant tools build src/tools --out dist/tools.schema.json --compiled`

interface BuildOptions {
  readonly out: string
  readonly tsconfig: string | undefined
  readonly compiled: boolean
  readonly check: boolean
  readonly json: boolean
}

export function addToolsBuildCommand(tools: Command, io: CliIo): void {
  tools
    .command('build')
    .description('describe plain TypeScript functions as tools, in one file')
    .argument('<source...>', 'modules, or folders of modules')
    .option('--out <file>', 'the file to write', 'tools.schema.json')
    .option('--tsconfig <file>', 'read by this tsconfig (default: the nearest above each module)')
    .option('--compiled', 'name the compiled modules, where the tsconfig puts them, instead of the sources')
    .option('--check', 'write nothing; fail when the file is not what would be written')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (sources: readonly string[], _options, self: Command) => {
      const { out, tsconfig, compiled, check, json } = self.opts()
      await build(io, sources, {
        out: resolve(io.cwd, String(out)),
        tsconfig: typeof tsconfig === 'string' ? resolve(io.cwd, tsconfig) : undefined,
        compiled: compiled === true,
        check: check === true,
        json: json === true,
      })
    })
}

async function build(io: CliIo, sources: readonly string[], options: BuildOptions): Promise<void> {
  const { out, tsconfig, compiled, check, json } = options
  const { buildTools } = await loadReflect()
  const paths = sources.map((source) => resolve(io.cwd, source))
  const built = await buildTools(paths, {
    folder: dirname(out),
    compiled,
    cacheFolder: false,
    ...(tsconfig === undefined ? {} : { tsconfig }),
  })
  const { document, problems, warnings } = built
  const text = `${JSON.stringify(document, null, 2)}\n`
  const failed = problems.length > 0
  const stale = !failed && check && (await readFile(out, 'utf8').catch(() => '')) !== text
  if (!failed && !check) await writeWhole(out, text)
  const tools = document.tools.map(({ name }) => name)
  if (json)
    await writeJson(io.stdout, {
      out,
      written: !failed && !check,
      ...(check ? { current: !failed && !stale } : {}),
      tools,
      problems,
      warnings,
    })
  else {
    await writeProblems(io, problems)
    for (const { message, hint } of warnings) await write(io.stderr, `! warning: ${printableLine(message)}\n  ${printableLine(hint)}\n`)
    const file = printableLine(relative(io.cwd, out))
    const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} of ${built.files.length} ${built.files.length === 1 ? 'module' : 'modules'}`
    if (failed)
      await write(
        io.stderr,
        `Nothing was written: ${problems.length} ${problems.length === 1 ? 'fault' : 'faults'}; ${count} would be sound.\n`,
      )
    else if (stale) await write(io.stderr, `${file} is not what would be written now; build it anew.\n`)
    else await write(io.stdout, `${file}: ${count}\n`)
  }
  io.exit(failed || stale ? 1 : 0)
}

/** A reader sees the file as it was or as it is, never half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.draft`
  try {
    await writeFile(draft, text)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new AdjutantError('USAGE', missing ? `there is no folder ${dirname(path)}` : `${path} could not be written: ${String(error)}`, {
      hint: missing ? 'Make the folder, or name another file with --out.' : 'Name another file with --out.',
      cause: error,
    })
  }
}
