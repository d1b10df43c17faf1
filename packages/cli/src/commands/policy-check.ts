/** `adjutant policy check`: whether policies can be read, and what they hold. */
import { resolve } from 'node:path'
import {
  AdjutantError,
  type AgentTool,
  asAgreed,
  documentDigests,
  LOCAL_PRINCIPAL,
  nearestNames,
  type PolicyDocument,
  type PolicyRule,
  policyPlaces,
  RulePolicy,
  readPolicyFile,
} from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { loadConfig } from '../config/load-config.ts'
import { openToolbox } from '../config/open-toolbox.ts'
import { printableLine } from '../terminal/printable.ts'
import { writeColumns } from './listing.ts'

const HELP = `
Without FILE: the policies of the usual places, those of the workspace included. A file says its tier itself.
Every fault is said with its line and column. With --config, patterns that no configured tool fits are noted on stderr.
With --json one document: {"documents":[{"file","tier","default","trusted","rules":[…]}],"missing":[…],"notes":[…]}.
Exit: 0 all can be read, 2 a fault, or wrong usage.

Example:
  adjutant policy check
  adjutant policy check .adjutant/policy.yaml --config adjutant.yaml`

export function addPolicyCheckCommand(policy: Command, io: CliIo): void {
  policy
    .command('check')
    .description('check policy files and list their rules')
    .argument('[files...]', 'policy files, YAML or JSON (default: those of the usual places)')
    .option('--workspace <folder>', 'the folder whose policy is meant (default: this one)')
    .option('--config <file>', 'note patterns that fit no tool of this configuration')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (files: readonly string[], options: Readonly<Record<string, unknown>>) => {
      const workspace = resolve(io.cwd, typeof options.workspace === 'string' ? options.workspace : '.')
      const { documents, missing } = await readAll(io, files, workspace)
      const notes = typeof options.config === 'string' ? await toolNotes(io, options.config, workspace, documents) : []
      if (options.json === true) {
        await writeJson(io.stdout, { documents: documents.map(asJson), missing, notes })
        return
      }
      for (const [index, document] of documents.entries()) {
        if (index > 0) await write(io.stdout, '\n')
        await writeDocument(io, document)
      }
      for (const file of missing) await write(io.stderr, `${printableLine(file)} is not there\n`)
      for (const note of notes) await write(io.stderr, `note: ${printableLine(note)}\n`)
    })
}

async function readAll(
  io: CliIo,
  files: readonly string[],
  workspace: string,
): Promise<{ readonly documents: readonly PolicyDocument[]; readonly missing: readonly string[] }> {
  const places = policyPlaces({ workspace, env: io.env })
  const usual = [
    { file: places.admin, tier: 'admin' },
    { file: places.project, tier: 'project' },
    { file: places.user, tier: 'user' },
  ] as const
  const named = files.map((name) => resolve(io.cwd, name))
  const wanted = named.length === 0 ? usual : named.map((file) => usual.find((place) => place.file === file) ?? { file })
  const documents: PolicyDocument[] = []
  const missing: string[] = []
  const faults: AdjutantError[] = []
  for (const place of wanted) {
    try {
      const document = await readPolicyFile(place.file, 'tier' in place ? place.tier : undefined)
      if (document !== undefined) {
        documents.push(await asAgreed(document, { workspace, env: io.env }))
      } else if (named.length > 0) {
        faults.push(new AdjutantError('CONFIG_INVALID', `${place.file}: there is no such file`, { hint: 'Name an existing policy file.' }))
      } else missing.push(place.file)
    } catch (error) {
      faults.push(AdjutantError.from(error, 'CONFIG_INVALID'))
    }
  }
  const [first, ...more] = faults
  if (first === undefined) return { documents, missing }
  throw new AdjutantError('CONFIG_INVALID', [first, ...more].map(({ message }) => message).join('; '), { hint: first.hint })
}

/** Patterns that fit nothing may be meant for tools of another day: worth a word, no fault. */
async function toolNotes(io: CliIo, file: string, workspace: string, documents: readonly PolicyDocument[]): Promise<readonly string[]> {
  const config = await loadConfig(io, file, { workspace })
  const toolbox = await openToolbox(config, io, { quiet: true })
  try {
    const tools = toolbox.tools.tools()
    const names = tools.map(({ name }) => name)
    return documents.flatMap(({ tier, rules }) =>
      rules.flatMap((rule) =>
        listOf(rule.tools).flatMap((pattern) => {
          if (fits(pattern, tools)) return []
          const near = nearestNames(pattern.replaceAll('*', ''), names, 2)
          const guess = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`
          return [`${tier}/${rule.id}: no tool is called ${JSON.stringify(pattern)}${guess}`]
        }),
      ),
    )
  } finally {
    await toolbox.close()
  }
}

/** Asked of a policy itself, so that a note means what the rule means. */
function fits(pattern: string, tools: readonly AgentTool[]): boolean {
  const policy = new RulePolicy({ documents: [{ tier: 'user', rules: [{ id: 'asked', effect: 'deny', tools: pattern }] }], workspace: '/' })
  return tools.some((tool) => !policy.mayUse(LOCAL_PRINCIPAL, tool))
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

function isTrusted(document: PolicyDocument, index: number): boolean {
  return document.trusted === undefined || document.trusted.has(documentDigests(document)[index] ?? '')
}

function asJson(document: PolicyDocument): Readonly<Record<string, unknown>> {
  const { file, tier, rules } = document
  return {
    file,
    tier,
    ...(document.default === undefined ? {} : { default: document.default, defaultTrusted: isTrusted(document, rules.length) }),
    rules: rules.map((rule, index) => ({ ...rule, trusted: isTrusted(document, index) })),
  }
}

async function writeDocument(io: CliIo, document: PolicyDocument): Promise<void> {
  const { file, tier, rules } = document
  const others = document.default === undefined ? '' : `, all else: ${document.default}`
  const count = `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`
  await write(io.stdout, `${tier}  ${printableLine(file ?? '')}  ${count}${others}\n`)
  const rows = rules.map((rule, index) => [
    rule.effect,
    `${tier}/${rule.id}`,
    isTrusted(document, index) ? '' : 'not agreed to',
    scopeOf(rule),
  ])
  // A column that nobody needs is left out.
  const bare = rows.every(([, , trust]) => trust === '')
  await writeColumns(io, bare ? rows.map(([effect = '', id = '', , scope = '']) => [effect, id, scope]) : rows)
  const foreign = rows.filter(([, , trust]) => trust !== '').length
  const foreignDefault = document.default !== undefined && !isTrusted(document, rules.length)
  if (foreign > 0 || foreignDefault) {
    const what = counted(foreign, foreignDefault)
    await write(io.stderr, `Nobody agreed to ${what}: until then they only make stricter. Read them, then adjutant policy trust\n`)
  }
}

/** `2 rules and the default`. */
export function counted(rules: number, withDefault: boolean): string {
  const named = rules === 0 ? [] : [`${rules} ${rules === 1 ? 'rule' : 'rules'}`]
  return [...named, ...(withDefault ? ['the default'] : [])].join(' and ')
}

/** A rule in one line: what it is for. */
export function scopeOf(rule: PolicyRule): string {
  const who = rule.who === undefined ? [] : Object.entries(rule.who).map(([key, value]) => `${key} ${plain(value)}`)
  const pieces = [
    rule.tools === undefined ? 'all tools' : listOf(rule.tools).join(' '),
    ...(rule.tags === undefined ? [] : [`tagged ${plain(rule.tags)}`]),
    ...(rule.origins === undefined ? [] : [`from ${plain(rule.origins)}`]),
    ...(rule.effects === undefined ? [] : [plain(rule.effects)]),
    ...who,
    ...Object.entries(rule.when ?? {}).map(([name, value]) => `${name} ${plain(value)}`),
    ...(rule.otherArguments === false ? ['no other arguments'] : []),
    ...(rule.afterUntrusted === true ? ['after text of strangers'] : []),
    ...(rule.except === undefined ? [] : [`except ${plain(rule.except)}`]),
  ]
  return pieces.join(' · ')
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ')
  return JSON.stringify(value) ?? ''
}
