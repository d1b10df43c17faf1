import type { JsonObject } from '../../contract/json.ts'
import { LINT_RULES, type LintFinding } from './finding.ts'
import type { LintReport } from './lint-tools.ts'

interface SarifOptions {
  /** The file of definitions, as a URI reference; absent for tools that come from elsewhere. */
  readonly uri?: string
  /** The line of a tool in that file, from 1. */
  readonly lineOf?: (id: string) => number | undefined
  /** Version of the program that says it. */
  readonly version?: string
}

/** The report as a SARIF 2.1.0 log, which code hosts and editors read. */
export function toSarif(report: LintReport, options: SarifOptions = {}): JsonObject {
  const rules = Object.entries(LINT_RULES).map(([id, { severity, about }]) => ({
    id,
    shortDescription: { text: about },
    defaultConfiguration: { level: severity },
  }))
  const ruleIndex = new Map(rules.map(({ id }, at) => [id, at]))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'adjutant', ...(options.version === undefined ? {} : { version: options.version }), rules } },
        columnKind: 'utf16CodeUnits',
        results: report.findings.map((found) => ({
          ruleId: found.rule,
          ruleIndex: ruleIndex.get(found.rule) ?? 0,
          level: found.severity,
          message: { text: `${found.message}. ${found.hint}` },
          locations: [location(found.tools[0] ?? '', options)],
          ...(found.tools.length > 1 ? { relatedLocations: found.tools.slice(1, 20).map((id) => location(id, options)) } : {}),
          partialFingerprints: { 'ruleAndTools/v1': fingerprint(found) },
        })),
      },
    ],
  }
}

function location(id: string, { uri, lineOf }: SarifOptions): JsonObject {
  const line = lineOf?.(id)
  return {
    ...(uri === undefined
      ? {}
      : { physicalLocation: { artifactLocation: { uri }, ...(line === undefined ? {} : { region: { startLine: line } }) } }),
    logicalLocations: [{ name: id, kind: 'function' }],
  }
}

/** The same for the same finding in the next run, wherever the tool then stands in the file. */
function fingerprint({ rule, tools, provider }: LintFinding): string {
  return [rule, provider ?? '', ...tools.slice(0, 5)].join('|')
}
