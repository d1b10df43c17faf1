import { type JsonObject, type JsonValue, ownValue } from '../../../contract/index.ts'

/**
 * Owns the members of a front matter that limit a skill. A limit that cannot be read for sure counts as the tightest: a reader
 * that drops it would let the skill do more than its author allowed.
 */

export interface Gates {
  readonly allowedTools?: readonly string[]
  readonly platforms?: readonly string[]
  readonly forModel: boolean
  readonly warnings: readonly string[]
}

const SYSTEMS: Readonly<Record<string, string>> = {
  linux: 'linux',
  macos: 'darwin',
  mac: 'darwin',
  osx: 'darwin',
  darwin: 'darwin',
  windows: 'win32',
  win: 'win32',
  win32: 'win32',
  wsl: 'linux',
}

/** `platform` is that of this machine, as `process.platform` says it. */
export function readGates(fields: JsonObject, unsure: ReadonlySet<string>, platform: string): Gates {
  const warnings: string[] = []
  const allowed = find(fields, unsure, 'allowedtools', warnings)
  const allowedTools = allowed === undefined ? undefined : readAllowedTools(allowed, warnings)
  const systems = findFirst(fields, unsure, ['platforms', 'os'], warnings)
  const platforms = systems === undefined ? undefined : readPlatforms(systems, warnings)
  const here = platforms === undefined || platforms.some((name) => name === 'all' || name === 'any' || SYSTEMS[name] === platform)
  if (!here) warnings.push(`it is not for this machine (${platform}); no model sees it here`)
  const disabled = readSwitch(find(fields, unsure, 'disablemodelinvocation', warnings), 'disable-model-invocation', false, warnings)
  const invocable = readSwitch(find(fields, unsure, 'modelinvocable', warnings), 'model-invocable', true, warnings)
  return {
    ...(allowedTools === undefined ? {} : { allowedTools }),
    ...(platforms === undefined ? {} : { platforms }),
    forModel: here && !disabled && invocable,
    warnings,
  }
}

/** The value, `null` when the member is there but not for sure, undefined when it is not there. Spelling is not counted. */
function find(fields: JsonObject, unsure: ReadonlySet<string>, plain: string, warnings: string[]): JsonValue | undefined {
  let found: JsonValue | undefined
  let times = 0
  for (const key of Object.keys(fields)) {
    if (plainKey(key) !== plain) continue
    times++
    found = unsure.has(key) ? null : (ownValue(fields, key) ?? null)
    if (unsure.has(key)) warnings.push(`${key} stands there more than once`)
  }
  if (times === 0) {
    const lost = [...unsure].find((key) => plainKey(key) === plain)
    if (lost === undefined) return undefined
    warnings.push(`${lost} is in the text, but could not be read`)
    return null
  }
  return times === 1 ? found : null
}

function findFirst(fields: JsonObject, unsure: ReadonlySet<string>, names: readonly string[], warnings: string[]): JsonValue | undefined {
  for (const name of names) {
    const found = find(fields, unsure, name, warnings)
    if (found !== undefined) return found
  }
  return undefined
}

function plainKey(key: string): string {
  return key.toLowerCase().replace(/[\s_-]+/g, '')
}

/** A list of texts, or one text with names parted by commas or spaces; brackets keep what belongs to a name together. */
function readAllowedTools(value: JsonValue, warnings: string[]): readonly string[] {
  const list = typeof value === 'string' ? splitNames(value) : Array.isArray(value) ? value.map(nameOf) : undefined
  if (list !== undefined && list.length > 0 && list.every((name) => NAME.test(name))) return list
  // An empty list is an answer, and a clear one.
  if (!(Array.isArray(value) && value.length === 0)) {
    warnings.push('allowed-tools cannot be read for sure; the skill may use no tool (write: allowed-tools: Read Grep)')
  }
  return []
}

/** Left-over quotes and brackets show that a list was not understood. What stands in round brackets is the tool's own. */
const NAME = /^[\p{L}_*][^"'`[\]{}(),]*(?:\([\s\S]*\))?$/u

function nameOf(item: JsonValue): string {
  return typeof item === 'string' ? item.trim() : ''
}

function splitNames(text: string): readonly string[] | undefined {
  const names: string[] = []
  let name = ''
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth++
    if (letter === ')') depth--
    if (depth < 0) return undefined
    if (depth === 0 && /[\s,]/.test(letter)) {
      if (name !== '') names.push(name)
      name = ''
    } else name += letter
  }
  if (depth !== 0) return undefined
  return name === '' ? names : [...names, name]
}

function readPlatforms(value: JsonValue, warnings: string[]): readonly string[] {
  const list = typeof value === 'string' ? value.split(/[\s,]+/) : Array.isArray(value) ? value : undefined
  const names = list?.map((name) => (typeof name === 'string' ? name.trim().toLowerCase() : '')).filter((name) => name !== '')
  if (names !== undefined && names.length > 0 && names.length === list?.filter((name) => name !== '').length) return names
  warnings.push('the platforms it is for cannot be read; no model sees it')
  return []
}

/** A switch that cannot be read counts as the tighter of its two positions. */
function readSwitch(value: JsonValue | undefined, name: string, loose: boolean, warnings: string[]): boolean {
  if (value === undefined) return loose
  if (value === true || (typeof value === 'string' && /^(true|yes|on)$/i.test(value.trim()))) return true
  if (value === false || (typeof value === 'string' && /^(false|no|off)$/i.test(value.trim()))) return false
  warnings.push(`${name} is neither true nor false; no model sees the skill`)
  return !loose
}
