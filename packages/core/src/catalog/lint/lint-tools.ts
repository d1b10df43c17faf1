import type { SearchDocument } from '../search/search-document.ts'
import { finding, LINT_SEVERITIES, type LintFinding, type LintSeverity } from './finding.ts'
import { overlapFindings } from './overlap.ts'
import { providerProblems } from './provider-rules.ts'
import { descriptionFindings, nameFindings, parameterFindings } from './text-rules.ts'

export interface LintReport {
  readonly tools: number
  /** Worst first; of one severity by rule, then by tool. */
  readonly findings: readonly LintFinding[]
  readonly counts: Readonly<Record<LintSeverity, number>>
}

/**
 * Looks at tools the way a model and its provider will: can they be told apart, chosen and sent? Takes any definitions, also such as
 * a registry refuses. 14 000 tools take a few seconds.
 *
 * @example
 * ```ts
 * lintTools([{ id: 'get', name: 'get', description: '' }]).findings.map(({ rule }) => rule) // ['description-empty', 'name-vague']
 * ```
 */
export function lintTools(tools: readonly SearchDocument[]): LintReport {
  const findings = [...duplicateFindings(tools), ...tools.flatMap((tool) => [...toolFindings(tool)]), ...overlapFindings(tools)]
  findings.sort(
    (a, b) =>
      LINT_SEVERITIES.indexOf(a.severity) - LINT_SEVERITIES.indexOf(b.severity) ||
      compare(a.rule, b.rule) ||
      compare(a.tools[0] ?? '', b.tools[0] ?? '') ||
      compare(a.message, b.message),
  )
  const counts: Record<LintSeverity, number> = { error: 0, warning: 0, note: 0 }
  for (const { severity } of findings) counts[severity]++
  return { tools: tools.length, findings, counts }
}

function* toolFindings(tool: SearchDocument): Generator<LintFinding> {
  yield* nameFindings(tool)
  yield* descriptionFindings(tool)
  yield* parameterFindings(tool)
  const byProvider = Map.groupBy(providerProblems(tool.inputSchema), ({ provider }) => provider)
  for (const [provider, problems] of byProvider) {
    const told = problems.map(({ place, what }) => `${place === '' ? 'the schema' : place} ${what}`)
    yield finding(
      'schema-refused',
      [tool.id],
      `${provider === 'any' ? 'every provider' : provider} refuses it: ${told.join('; ')}`,
      'Write it in JSON Schema 2020-12 with a plain object at the root; what is rewritten when it is sent says less.',
      { provider },
    )
  }
}

function* duplicateFindings(tools: readonly SearchDocument[]): Generator<LintFinding> {
  for (const [name, same] of Map.groupBy(tools, (tool) => tool.name)) {
    if (same.length < 2) continue
    const servers = [...new Set(same.map(({ server }) => server ?? 'no server'))]
    const from = servers.length > 1 ? `, from ${servers.slice(0, 5).join(', ')}${servers.length > 5 ? ' and others' : ''}` : ''
    yield finding(
      'name-duplicate',
      same.map(({ id }) => id),
      `${same.length} tools are called ${JSON.stringify(name.slice(0, 80))}${from}`,
      'Give each a name of its own, e.g. with its server in front.',
    )
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
