/** `adjutant tools lint`: what in the definitions of tools will make a model choose wrong or a provider refuse. */
import { relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  isAtLeast,
  LINT_SEVERITIES,
  type LintFinding,
  type LintReport,
  type LintSeverity,
  lintTools,
  searchDocumentOf,
  toSarif,
} from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine } from '../terminal/printable.ts'
import { type CatalogueFile, readCatalogue } from '../work/read-catalogue.ts'
import { roleOption, sharedOptions, usage } from './shared-options.ts'
import type { OpenTools } from './tools-search.ts'

const HELP = `
Looks at names, descriptions, parameters, at schemas that a provider refuses, and at tools that cannot be told apart.
With --json one document: {"tools","counts":{"error","warning","note"},"findings":[{"rule","severity","tools","message","hint",…}]}.
With --sarif one SARIF 2.1.0 log. Exit: 0 nothing at or above --fail-on, 1 there is something, 2 wrong usage or configuration.

Example:
  adjutant tools lint --catalog tools.jsonl --fail-on error
  adjutant tools lint --sarif > tools.sarif`

const DEFAULT_THRESHOLD: LintSeverity = 'warning'

export function addToolsLintCommand(tools: Command, io: CliIo, open: OpenTools): void {
  tools
    .command('lint')
    .description('check how well the definitions of tools will serve')
    .option('--catalog <file>', 'a file of tool definitions instead of the configured tools')
    .addOption(
      new Option('--fail-on <severity>', 'the least severity that makes the command fail')
        .choices(LINT_SEVERITIES)
        .default(DEFAULT_THRESHOLD),
    )
    .option('--sarif', 'print a SARIF log')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--workspace <folder>', 'the folder that the file tools are confined to (default: this one)')
    .addOption(roleOption())
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { catalog, sarif, failOn } = self.opts()
      const options = sharedOptions(self)
      if (sarif === true && options.json === true) throw usage('--json and --sarif exclude each other', 'Choose one of them.')
      const threshold = LINT_SEVERITIES.find((severity) => severity === failOn) ?? DEFAULT_THRESHOLD
      const tell = async (report: LintReport, log: () => unknown): Promise<void> => {
        if (sarif === true) await writeJson(io.stdout, log())
        else if (options.json === true) await writeJson(io.stdout, report)
        else await writeReport(io, report)
        if (report.findings.some(({ severity }) => isAtLeast(severity, threshold))) io.exit(1)
      }
      if (typeof catalog === 'string') {
        const path = resolve(io.cwd, catalog)
        const file = await readCatalogue(path)
        for (const problem of file.problems) await write(io.stderr, `! ${printableLine(problem)}\n`)
        const report = lintTools(file.tools)
        await tell(report, () => toSarif(report, placesIn(io, path, file)))
      } else {
        await open(options, async (found) => {
          const report = lintTools(found.map(searchDocumentOf))
          await tell(report, () => toSarif(report))
        })
      }
    })
}

function placesIn(
  io: CliIo,
  path: string,
  file: CatalogueFile,
): { readonly uri: string; readonly lineOf: (id: string) => number | undefined } {
  const lines = new Map(file.lines ? file.tools.map(({ id, place }) => [id, place]) : [])
  const near = relative(io.cwd, path)
  // Code hosts want paths relative to the checkout.
  const uri = near.startsWith('..') ? pathToFileURL(path).href : near.split(/[/\\]/).map(encodeURIComponent).join('/')
  return { uri, lineOf: (id) => lines.get(id) }
}

async function writeReport(io: CliIo, { tools, findings, counts }: LintReport): Promise<void> {
  for (const found of findings) await write(io.stdout, lineOf(found))
  const told = LINT_SEVERITIES.map((severity) => `${counts[severity]} ${severity}${counts[severity] === 1 ? '' : 's'}`).join(', ')
  await write(io.stderr, `${tools} tool${tools === 1 ? '' : 's'}: ${told}\n`)
}

function lineOf({ rule, severity, tools, message, hint }: LintFinding): string {
  return `${severity} ${rule} ${printableLine(tools[0] ?? '')}: ${printableLine(message)}\n  ${printableLine(hint)}\n`
}
