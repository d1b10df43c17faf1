import { lstat } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path'
import { type Document, isSeq, parseDocument, YAMLMap, YAMLSeq } from 'yaml'
import { AdjutantError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { SavedTier } from '../../contract/policy.ts'
import type { Effect } from '../../contract/tool.ts'
import { canonicalJson, digestOf } from '../../util/canonical-json.ts'
import { setOwn } from '../../util/set-own.ts'
import { writeArgumentPath } from './argument-path.ts'
import { ruleDigest } from './compile-rule.ts'
import type { PolicyDocument, PolicyRule, ValueCondition } from './policy-document.ts'
import { addTrust, readTrust } from './policy-trust.ts'
import { policyText, readPolicyDocument } from './read-policy.ts'
import { realFolder } from './real-paths.ts'
import { changeFile } from './replace-file.ts'

/**
 * Owns keeping a person's answer for always as a rule of a policy file. What is written allows what was agreed to and nothing beside it.
 * Comments and order of the file stay. The agreement is noted first, then the rule: a crash between leaves an agreement to nothing.
 */

/** Absolute paths. */
export interface PolicyFiles {
  readonly project?: string
  readonly user?: string
  /** What was agreed to of the project's policy. Absent: its file is trusted as it is. */
  readonly trust?: string
}

export interface RuleToSave {
  readonly tool: string
  readonly effect: Effect
  /** Of one call; absent: every call of the tool with this effect. */
  readonly input?: JsonObject
}

/** Longer arguments are no rule that anybody could read. */
const MAX_ARGUMENTS = 16_000

/**
 * @returns the document as it is now
 * @throws AdjutantError CONFIG_INVALID for a file that is broken, missing from the options or not where it belongs; CONFLICT
 */
export async function saveRule(
  rule: RuleToSave,
  tier: SavedTier,
  { files, workspace }: { readonly files: PolicyFiles; readonly workspace: string },
): Promise<PolicyDocument> {
  const file = files[tier]
  if (file === undefined) {
    throw new AdjutantError('CONFIG_INVALID', `there is no policy file of the tier ${tier} to keep the answer in`, {
      hint: 'Answer for this session, or name a file.',
    })
  }
  if (tier === 'project') await checkPlace(file, workspace)
  const saved = ruleOf(rule)
  if (tier === 'project' && files.trust !== undefined) await addTrust(files.trust, file, [ruleDigest(saved)])
  let text = ''
  await changeFile(file, (before) => {
    text = withRule(before === undefined ? '' : policyText(before, file), saved, { file, tier })
    return text
  })
  const document = readPolicyDocument(text, { file, tier })
  return tier === 'project' && files.trust !== undefined ? { ...document, trusted: await readTrust(files.trust, file) } : document
}

/** The rule that allows just this. */
function ruleOf({ tool, effect, input }: RuleToSave): PolicyRule {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(tool)) {
    throw new AdjutantError('CONFIG_INVALID', `${JSON.stringify(tool.slice(0, 100))} is no name of a tool that a rule can be kept for`)
  }
  if (input !== undefined && canonicalJson(input).length > MAX_ARGUMENTS) {
    throw new AdjutantError('CONFIG_INVALID', `the arguments are longer than ${MAX_ARGUMENTS} characters, too long for a rule`, {
      hint: 'Answer for this session, or write a rule with patterns by hand.',
    })
  }
  const when: Record<string, ValueCondition> = {}
  for (const [name, value] of Object.entries(input ?? {})) setOwn(when, writeArgumentPath(name), { equals: value })
  return {
    id: `saved-${digestOf({ tool, effect, input: input ?? null }).slice('sha256:'.length, 'sha256:'.length + 12)}`,
    effect: 'allow',
    reason: 'a person said: always',
    tools: tool,
    effects: effect,
    ...(Object.keys(when).length === 0 ? {} : { when }),
    ...(input === undefined ? {} : { otherArguments: false }),
  }
}

function withRule(text: string, rule: PolicyRule, place: { readonly file: string; readonly tier: SavedTier }): string {
  const isNew = text.trim() === ''
  // A file that is broken is not touched: what would be written around the fault is not known.
  if (!isNew) readPolicyDocument(text, place)
  const document: Document = parseDocument(isNew ? 'version: 1\nrules: []\n' : text)
  const rules: unknown = document.get('rules')
  if (!isSeq(rules)) throw new AdjutantError('CONFIG_INVALID', `${place.file}: rules must be a list`)
  if (isNew) rules.flow = false
  // Said again, it is the latest word again.
  rules.items = rules.items.filter((item) => !(item instanceof YAMLMap && item.get('id') === rule.id))
  if (rules.items.length === 0) rules.flow = false
  rules.add(nodeOf(rule, document))
  const written = extname(place.file) === '.json' ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 })
  readPolicyDocument(written, place)
  return written
}

/** By hand, since names of arguments come from a model and may be `__proto__`. */
function nodeOf(value: unknown, document: Document): unknown {
  if (Array.isArray(value)) {
    const list = new YAMLSeq()
    for (const item of value) list.add(nodeOf(item, document))
    return list
  }
  if (typeof value !== 'object' || value === null) return document.createNode(value)
  const map = new YAMLMap()
  for (const [key, member] of Object.entries(value)) map.set(document.createNode(key), nodeOf(member, document))
  return map
}

/** A link in a repository must not lead the pen to another file. */
async function checkPlace(file: string, workspace: string): Promise<void> {
  const folder = dirname(resolve(file))
  if (!isInside(resolve(workspace), folder)) return
  const link = await lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
  if (!link && isInside(realFolder(workspace), realFolder(folder))) return
  throw new AdjutantError('CONFIG_INVALID', `${file} is a link or lies behind one that leads out of the workspace; nothing was written`, {
    hint: 'Put a plain file in its place.',
  })
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
