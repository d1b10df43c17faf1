import { AdjutantError } from '../../contract/errors.ts'
import { isJsonObject, type JsonValue } from '../../contract/json.ts'
import { setOwn } from '../../util/set-own.ts'
import { defaultRule, ruleDigest } from './compile-rule.ts'
import type { PolicyDocument } from './policy-document.ts'
import { changeFile, readIfThere } from './replace-file.ts'

/**
 * Owns what somebody at this machine agreed to of the policies that come with a workspace: for each file the digests of its rules. It is
 * kept outside of every workspace, so that neither a repository nor an agent that may write in it can agree for a person. A rule that
 * changes by one letter is another rule.
 */

/** @throws AdjutantError CONFIG_INVALID when the file is there and cannot be read, or is not ours */
export async function readTrust(trustFile: string, policyFile: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(digestsOf(parse(await readIfThere(trustFile), trustFile), policyFile))
  } catch (error) {
    throw AdjutantError.from(error, 'CONFIG_INVALID', trustFile)
  }
}

/**
 * Agrees to rules of a file, beside those that were agreed to before.
 *
 * @throws AdjutantError CONFLICT, CONFIG_INVALID
 */
export async function addTrust(trustFile: string, policyFile: string, digests: readonly string[]): Promise<void> {
  await changeFile(trustFile, (before) => {
    const files = parse(before, trustFile)
    const changed: Record<string, JsonValue> = {}
    for (const [name, known] of Object.entries(files)) setOwn(changed, name, known)
    setOwn(changed, policyFile, [...new Set([...digestsOf(files, policyFile), ...digests])].sort())
    return `${JSON.stringify({ version: 1, files: changed }, null, 2)}\n`
  })
}

/** The digests of all that a document says. */
export function documentDigests(document: PolicyDocument): readonly string[] {
  const rules = document.rules.map(ruleDigest)
  return document.default === undefined ? rules : [...rules, ruleDigest(defaultRule(document.default))]
}

function digestsOf(files: Readonly<Record<string, JsonValue>>, policyFile: string): readonly string[] {
  const known: unknown = Object.hasOwn(files, policyFile) ? files[policyFile] : undefined
  return Array.isArray(known) ? known.filter((one): one is string => typeof one === 'string') : []
}

function parse(bytes: Buffer | undefined, trustFile: string): Readonly<Record<string, JsonValue>> {
  if (bytes === undefined) return {}
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw broken(trustFile, error)
  }
  if (!isJsonObject(value) || value.version !== 1 || value.files === undefined || !isJsonObject(value.files)) throw broken(trustFile)
  return value.files
}

function broken(trustFile: string, cause?: unknown): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${trustFile}: this is no list of agreed policies`, {
    hint: 'Remove it, and agree again to the policies of your workspaces with adjutant policy trust.',
    cause,
  })
}
