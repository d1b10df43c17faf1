/** `adjutant sandbox doctor`: which boxes can be made here, found out by making them; what each enforces; what to do about each gap. */
import type { SandboxGuarantee, SandboxLanguage } from '@adjutant/core/contract'
import type { SandboxDescription } from '@adjutant/sandbox'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { capabilitiesOf } from '../terminal/capabilities.ts'
import { printableLine } from '../terminal/printable.ts'
import { themeFor } from '../terminal/theme.ts'
import { openMachineSandboxes, tellNotes } from './sandbox-open.ts'

const HELP = `
Tries each backend once and ends everything again. The first table says which backends there are, the second what each that works
enforces, the third which one code of a language gets when nothing else is asked for.
With --json one document: {"ok","checks":[{"name","ok","detail","fix"?,"languages","enforces","chosenFor","use"?}],"chosen":{"bash",…}}.
Exit: 0 when every language has a box, 1 when one has none, 2 wrong usage.

Example:
  adjutant sandbox doctor --json`

const LANGUAGES = ['bash', 'python', 'js', 'sql'] as const satisfies readonly SandboxLanguage[]

const GUARANTEES: Readonly<Record<SandboxGuarantee, string>> = {
  filesystem: 'sees no files but its own',
  network: 'reaches no host but those allowed',
  processes: 'sees and signals no process outside',
  environment: 'sees no variables of the host',
  memory: 'memory of all its processes',
  cpu: 'processor time',
  'process-count': 'number of processes',
  disk: 'bytes that it writes',
  'file-count': 'number of files',
  kernel: 'fewer system calls to attack',
}

export function addSandboxDoctorCommand(sandbox: Command, io: CliIo): void {
  sandbox
    .command('doctor')
    .description('say which boxes can be made here, what they enforce, and what to do about each gap')
    .option('--config <file>', 'configuration (default: adjutant.yaml, .yml, .json or .ts in this folder)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { config, json } = self.optsWithGlobals()
      await doctor(io, typeof config === 'string' ? config : undefined, json === true)
    })
}

async function doctor(io: CliIo, file: string | undefined, json: boolean): Promise<void> {
  const config = await loadConfig(io, file)
  await tellNotes(io, config)
  const backends = await describeSandboxes(io.env, config)
  const chosen = chosenOf(backends)
  const ok = LANGUAGES.every((lang) => chosen[lang] !== null)
  if (json) await writeJson(io.stdout, { ok, checks: backends, chosen })
  else await writeTables(io, backends, chosen)
  if (!ok) io.exit(1)
}

async function describeSandboxes(env: CliIo['env'], config: Pick<Config, 'sandbox'> | undefined): Promise<readonly Described[]> {
  const { DEFAULT_REQUIRES } = await import('@adjutant/sandbox')
  const sandboxes = await openMachineSandboxes({ env, ...(config === undefined ? {} : { config }) })
  try {
    const backends = await sandboxes.describe()
    return backends.map((backend) => withUse(backend, (lang) => config?.sandbox.requires?.[lang] ?? DEFAULT_REQUIRES))
  } finally {
    await sandboxes.close()
  }
}

type Chosen = Readonly<Record<SandboxLanguage, string | null>>

function chosenOf(backends: readonly SandboxDescription[]): Chosen {
  const nameFor = (lang: SandboxLanguage): string | null => backends.find(({ chosenFor }) => chosenFor.includes(lang))?.name ?? null
  return { bash: nameFor('bash'), python: nameFor('python'), js: nameFor('js'), sql: nameFor('sql') }
}

/** What a backend is good for here, in words: which languages get it, or why none does. Nothing to say of one that does not work. */
type Described = SandboxDescription & { readonly use?: string }

/** @param requires what a box must enforce for code in that language */
function withUse(backend: SandboxDescription, requires: (lang: SandboxLanguage) => readonly SandboxGuarantee[]): Described {
  const { chosenFor, enforces, languages, ok } = backend
  if (!ok) return backend
  if (chosenFor.length > 0) return { ...backend, use: `taken for ${chosenFor.join(', ')}` }
  const missing = languages.map((lang) => requires(lang).filter((one) => !enforces.includes(one)))
  const isWeak = missing.length > 0 && missing.every(({ length }) => length > 0)
  return {
    ...backend,
    use: isWeak ? `too weak to be taken: ${[...new Set(missing.flat())].join(', ')} not held` : 'not taken: another comes first',
  }
}

interface SandboxCheck {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  readonly fix?: string
}

/**
 * What `adjutant doctor` says of boxes: one check for each backend, then which one code of a language gets. Nothing needs a box unless code of a
 * model is to run: what is missing is told, and is no fault of the machine.
 *
 * @example
 * ```ts
 * checks.push(...(await sandboxChecks(io.env, config)))
 * ```
 * @public
 */
export async function sandboxChecks(env: CliIo['env'], config: Pick<Config, 'sandbox'> | undefined): Promise<readonly SandboxCheck[]> {
  const backends = await describeSandboxes(env, config)
  const chosen = chosenOf(backends)
  const refused = LANGUAGES.filter((lang) => chosen[lang] === null)
  return [
    ...backends.map(({ name, ok, detail, fix, use, chosenFor }) => ({
      name: `box ${name}`,
      ok: true,
      detail: ok ? `${detail}; ${use ?? ''}` : `not here: ${detail}`,
      // How a working one could be better is of use to whoever gets it.
      ...(fix === undefined || (ok && chosenFor.length === 0) ? {} : { fix }),
    })),
    {
      name: 'sandbox',
      ok: true,
      detail: LANGUAGES.map((lang) => `${lang}: ${chosen[lang] ?? 'none'}`).join(', '),
      ...(refused.length === 0 ? {} : { fix: `Code in ${refused.join(', ')} is refused: do what one of the lines above says.` }),
    },
  ]
}

async function writeTables(io: CliIo, backends: readonly Described[], chosen: Chosen): Promise<void> {
  const can = capabilitiesOf(io)
  const theme = themeFor({ ...can, colour: can.colour && io.stdout.isTTY === true })
  const { ok, failed } = theme.symbols
  const width = Math.max(...backends.map(({ name }) => name.length))
  const lines: string[] = []
  for (const { name, ok: works, detail, fix, use, chosenFor } of backends) {
    const sign = works ? theme.paint('good', ok) : detail === 'not set up' ? theme.paint('quiet', '-') : theme.paint('bad', failed)
    lines.push(`${sign} ${name.padEnd(width)}  ${printableLine(detail)}`)
    const more = [use, works && chosenFor.length === 0 ? undefined : fix]
    for (const words of more) if (words !== undefined) lines.push(`  ${' '.repeat(width)}  ${theme.paint('quiet', printableLine(words))}`)
  }
  const working = backends.filter((backend) => backend.ok)
  const widest = Math.max(...Object.values(GUARANTEES).map((words) => words.length))
  lines.push('', `${'enforced'.padEnd(widest)}  ${working.map(({ name }) => name).join('  ')}`.trimEnd())
  for (const [guarantee, words] of Object.entries(GUARANTEES)) {
    const cells = working.map(({ name, enforces }) =>
      enforces.some((one) => one === guarantee) ? 'yes'.padEnd(name.length) : theme.paint('bad', 'no'.padEnd(name.length)),
    )
    lines.push(`${words.padEnd(widest)}  ${cells.join('  ')}`.trimEnd())
  }
  lines.push('')
  for (const lang of LANGUAGES) lines.push(`${lang.padEnd(6)}  ${chosen[lang] ?? theme.paint('bad', 'no box: refused')}`)
  await write(io.stdout, `${lines.join('\n')}\n`)
}
