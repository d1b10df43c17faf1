import { isJsonObject } from '../contract/json.ts'
import { isJsonArray } from './json-shape.ts'
import type { CompiledSchema, Issue } from './validate.ts'

/** Alternatives looked at. Ours: each costs a check. */
const MAX_ALTERNATIVES = 50

/**
 * Finds which alternative of a failed `anyOf`/`oneOf` was meant: the only one whose type and fixed words (`kind: 'circle'`)
 * agree with the value. Gives its issues, placed as in the whole value; nothing when several or none could be meant.
 */
export function bestAlternative(compiled: CompiledSchema, value: unknown, union: Issue): readonly Issue[] | undefined {
  const branches: unknown = union.schema === undefined ? undefined : union.schema[union.keyword]
  if (!isJsonArray(branches) || union.pointer === undefined || isJsonArray(union.params.passingSchemas)) return undefined
  let best: readonly Issue[] | undefined
  for (let index = 0; index < Math.min(branches.length, MAX_ALTERNATIVES); index++) {
    const issues = compiled.part(`${union.pointer}/${union.keyword}/${index}`)?.issues(value)
    if (issues === undefined || issues.length === 0 || issues.some((issue) => speaksAgainst(issue))) continue
    if (best !== undefined) return undefined
    best = issues
  }
  return best?.map((issue) => ({ ...issue, path: `${union.path}${issue.path}` }))
}

/** The value is of another kind altogether: another type, or another fixed word in one of its members. */
function speaksAgainst(issue: Issue): boolean {
  if (issue.path === '') return issue.keyword === 'type' || issue.keyword === 'const' || issue.keyword === 'enum'
  const isMember = !issue.path.slice(1).includes('/')
  return isMember && (issue.keyword === 'const' || (issue.keyword === 'enum' && isJsonObject(issue.schema) && isSingle(issue.schema.enum)))
}

function isSingle(value: unknown): boolean {
  return isJsonArray(value) && value.length === 1
}
