import { stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { AdjutantError } from '../../contract/errors.ts'
import type { PolicyTier } from '../../contract/policy.ts'
import type { CommandReaders } from './command-condition.ts'
import type { PolicyDocument, ValueCondition } from './policy-document.ts'
import { MAX_POLICY_BYTES } from './policy-source.ts'
import { readTrust } from './policy-trust.ts'
import { policyText, readPolicyDocument } from './read-policy.ts'
import { realFolder } from './real-paths.ts'
import { readIfThere } from './replace-file.ts'
import { RulePolicy } from './rule-policy.ts'
import type { PolicyFiles } from './save-rule.ts'

/**
 * Owns where policies lie. A file at a usual place that is not there says nothing; one that is there and cannot be read ends the load:
 * going on without it would be going on without a prohibition.
 */

export interface LoadPolicyOptions {
  /** Absolute. */
  readonly workspace: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly commands?: CommandReaders
  /** Opens readers of commands, once, as soon as a rule needs one: their parsers take a while to load. */
  readonly openCommands?: () => Promise<CommandReaders>
  /**
   * Further files; each is of the tier that it says, else `user`. They must be there. One that lies in the workspace has to be agreed to, as
   * the project's own.
   */
  readonly files?: readonly string[]
  /** Further documents, e.g. of the roles of a configuration, or of a session. */
  readonly documents?: readonly PolicyDocument[]
  /** Only `files` and `documents`: nothing is looked for. Default false. */
  readonly only?: boolean
  /** True: policies that lie in the workspace may allow, whatever was agreed to. Default false. */
  readonly trustProject?: boolean
}

/** Where a person's and a workspace's policies lie, and what was agreed to. */
export function policyPlaces(options: Pick<LoadPolicyOptions, 'workspace' | 'env'>): Required<PolicyFiles> & { readonly admin: string } {
  const { env, workspace } = options
  const home = env.HOME ?? userInfo().homedir
  const folder = (variable: string | undefined, ...usual: readonly string[]): string =>
    variable?.startsWith('/') === true ? variable : join(home, ...usual)
  return {
    admin: '/etc/adjutant/policy.yaml',
    user: join(folder(env.XDG_CONFIG_HOME, '.config'), 'adjutant', 'policy.yaml'),
    project: join(resolve(workspace), '.adjutant', 'policy.yaml'),
    trust: join(folder(env.XDG_STATE_HOME, '.local', 'state'), 'adjutant', 'policy-trust.json'),
  }
}

/**
 * Reads the usual places and opens the policy that they make together.
 *
 * @throws AdjutantError CONFIG_INVALID with `file:line:column`
 */
export async function loadPolicy(options: LoadPolicyOptions): Promise<RulePolicy> {
  // Filled before the first rule that needs it is compiled.
  const readers: CommandReaders = { ...options.commands }
  let opened = false
  const load = async (): Promise<readonly PolicyDocument[]> => {
    const documents = await readPolicies(options)
    if (!opened && options.openCommands !== undefined && documents.some(usesCommands)) {
      Object.assign(readers, await options.openCommands())
      opened = true
    }
    return documents
  }
  const { project, user, trust } = policyPlaces(options)
  return new RulePolicy({
    documents: await load(),
    workspace: options.workspace,
    load,
    commands: readers,
    ...(options.only === true ? {} : { files: options.trustProject === true ? { project, user } : { project, user, trust } }),
  })
}

/** Whether a rule has to know what a command does. */
function usesCommands({ rules }: PolicyDocument): boolean {
  const inValue = (value: ValueCondition): boolean => value.command !== undefined || (value.not !== undefined && inValue(value.not))
  return rules.some(({ when }) => Object.values(when ?? {}).some(inValue))
}

/** @throws AdjutantError CONFIG_INVALID */
export async function readPolicies(options: LoadPolicyOptions): Promise<readonly PolicyDocument[]> {
  const places = policyPlaces(options)
  const agreed = (document: PolicyDocument): Promise<PolicyDocument> | PolicyDocument =>
    options.trustProject === true ? document : asAgreed(document, options)
  const documents: PolicyDocument[] = [...(options.documents ?? [])]
  const usual = options.only === true ? [] : [places.admin, places.project, places.user]
  for (const file of new Set((options.files ?? []).map((name) => resolve(name)))) {
    if (usual.includes(file)) continue
    const document = await readPolicyFile(file)
    if (document === undefined) {
      throw new AdjutantError('CONFIG_INVALID', `${file}: there is no such file`, { hint: 'Name an existing policy file.' })
    }
    documents.push(await agreed(document))
  }
  if (options.only === true) return documents
  const admin = await readPolicyFile(places.admin, 'admin')
  const project = await readPolicyFile(places.project, 'project')
  const user = await readPolicyFile(places.user, 'user')
  if (admin !== undefined) documents.push(admin)
  if (project !== undefined) documents.push(await agreed(project))
  if (user !== undefined) documents.push(user)
  return documents
}

/**
 * A document that lies in the workspace may make things stricter; more only as far as somebody here agreed to it. Any other is given back
 * as it is.
 *
 * @throws AdjutantError CONFIG_INVALID
 */
export async function asAgreed(document: PolicyDocument, options: Pick<LoadPolicyOptions, 'workspace' | 'env'>): Promise<PolicyDocument> {
  const { file } = document
  const { project, trust } = policyPlaces(options)
  if (file === undefined || (file !== project && !liesIn(options.workspace, file))) return document
  return { ...document, trusted: await readTrust(trust, file) }
}

/** By its name or by where it really is. */
function liesIn(folder: string, file: string): boolean {
  const inside = (outer: string, inner: string): boolean => {
    const way = relative(outer, inner)
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  }
  return inside(resolve(folder), resolve(file)) || inside(realFolder(folder), realFolder(file))
}

/**
 * @returns undefined when there is no such file
 * @throws AdjutantError CONFIG_INVALID
 */
export async function readPolicyFile(file: string, tier?: PolicyTier): Promise<PolicyDocument | undefined> {
  let bytes: Buffer | undefined
  try {
    const found = await stat(file).catch(() => undefined)
    if (found !== undefined && !found.isFile()) throw new Error('this is not a regular file')
    if (found !== undefined && found.size > MAX_POLICY_BYTES) throw new Error(`is ${found.size} bytes long, more than ${MAX_POLICY_BYTES}`)
    bytes = await readIfThere(file)
  } catch (error) {
    throw new AdjutantError('CONFIG_INVALID', `${file}: ${error instanceof Error ? error.message : String(error)}`, {
      hint: 'Make it a readable file.',
      cause: error,
    })
  }
  return bytes === undefined ? undefined : readPolicyDocument(policyText(bytes, file), { file, ...(tier === undefined ? {} : { tier }) })
}
