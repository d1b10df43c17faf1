import { hash } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from '../../../contract/index.ts'
import { normalise, parseFrontMatter, splitFrontMatter } from './front-matter.ts'
import { readGates } from './gates.ts'
import { findSkillFile, readSkillText } from './read-skill-text.ts'
import type { LoadedSkill, Skill } from './skill.ts'
import { folderContent } from './skill-content.ts'

export interface SkillOptions {
  /** Default: this machine's. Skills that are for others are kept from the model. */
  readonly platform?: string
}

const LEGAL_NAME = /^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u
const MAX_NAME = 64
const MAX_DESCRIPTION = 1_024
const MAX_COMPATIBILITY = 500

/**
 * Reads one skill: a folder with a SKILL.md, or the file itself. Lenient where only form is at fault (that becomes a warning),
 * strict where the skill could not be told of (no description) or its limits would get lost. Never throws.
 *
 * @example
 * ```ts
 * const loaded = await loadSkill('./skills/house-style')
 * if (loaded.ok) loaded.skill.description
 * ```
 */
export async function loadSkill(path: string, options: SkillOptions = {}): Promise<LoadedSkill> {
  const found = await findSkillFile(resolve(path))
  if (!found.ok) return fault(resolve(path), found.message, found.hint)
  const text = await readSkillText(found.file)
  if (!text.ok) return fault(found.file, text.message, text.hint)
  const loaded = skillFromText(text.text, found.file, options)
  const warnings = [...found.warnings, ...text.warnings]
  if (!loaded.ok || warnings.length === 0) return loaded
  return { ok: true, skill: { ...loaded.skill, warnings: [...warnings, ...loaded.skill.warnings] } }
}

/** The same for a text that was got from elsewhere; `file` is where it would stand. */
export function skillFromText(raw: string, file: string, options: SkillOptions = {}): LoadedSkill {
  const split = splitFrontMatter(raw)
  if (!split.ok) return fault(file, split.message, 'Begin the file with ---, name: …, description: …, and --- on lines of their own.')
  const front = parseFrontMatter(split.yaml)
  if (!front.ok)
    return fault(
      file,
      `has a front matter that is not valid YAML: ${front.message}`,
      'Put values that hold ": " or begin with a sign in quotes.',
    )
  const directory = dirname(file)
  const warnings = [...split.warnings, ...front.warnings]
  const description = readDescription(ownValue(front.fields, 'description'), warnings)
  if (!description.ok) return fault(file, description.message, 'Say in description what the skill does and when to use it.')
  const name = readName(ownValue(front.fields, 'name'), basename(directory), warnings)
  const gates = readGates(front.fields, front.unsure, options.platform ?? process.platform)
  warnings.push(...gates.warnings)
  if (split.body === '') warnings.push('it has no instructions after the front matter')
  const compatibility = readText(front.fields, 'compatibility', MAX_COMPATIBILITY, warnings)
  const license = readText(front.fields, 'license', MAX_DESCRIPTION, warnings)
  const skill: Skill = {
    name,
    description: description.text,
    ...(gates.allowedTools === undefined ? {} : { allowedTools: gates.allowedTools }),
    ...(gates.platforms === undefined ? {} : { platforms: gates.platforms }),
    ...(compatibility === undefined ? {} : { compatibility }),
    ...(license === undefined ? {} : { license }),
    forModel: gates.forModel,
    metadata: readMetadata(ownValue(front.fields, 'metadata'), warnings),
    fields: front.fields,
    directory,
    file,
    content: folderContent({ name, file, directory }),
    digest: hash('sha256', normalise(raw).trimEnd()),
    warnings,
  }
  return { ok: true, skill }
}

function fault(source: string, message: string, hint: string): LoadedSkill {
  return { ok: false, problem: { code: 'SKILL_INVALID', source, message: `${source} ${message}`, hint } }
}

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string }

function readDescription(value: JsonValue | undefined, warnings: string[]): Text {
  if (value === undefined || value === null) return { ok: false, message: 'has no description' }
  if (typeof value === 'object')
    return { ok: false, message: `has a description that is ${Array.isArray(value) ? 'a list' : 'a map'}, not a text` }
  const text = String(value).trim()
  if (text === '') return { ok: false, message: 'has an empty description' }
  if (typeof value === 'boolean') warnings.push('description is no text')
  if (text.length > MAX_DESCRIPTION) warnings.push(`description has ${text.length} characters (the format allows ${MAX_DESCRIPTION})`)
  return { ok: true, text }
}

function readName(value: JsonValue | undefined, folder: string, warnings: string[]): string {
  const written = typeof value === 'string' || typeof value === 'boolean' ? String(value).trim() : ''
  if (written === '') {
    warnings.push(
      value === undefined || value === null ? `name is missing; the folder's is taken` : `name is no text; the folder's is taken`,
    )
    return folder
  }
  if (written.length > MAX_NAME) warnings.push(`name has ${written.length} characters (the format allows ${MAX_NAME})`)
  if (!LEGAL_NAME.test(written))
    warnings.push(`name ${JSON.stringify(written.slice(0, 80))} is not made of small letters, digits and single hyphens`)
  if (written.normalize('NFC') !== folder.normalize('NFC')) {
    warnings.push(`name ${JSON.stringify(written.slice(0, 80))} differs from the folder's, ${JSON.stringify(folder)}`)
  }
  return written
}

function readText(fields: JsonObject, key: string, limit: number, warnings: string[]): string | undefined {
  const value = ownValue(fields, key)
  if (value === undefined || value === null) return undefined
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value)
  if (typeof value !== 'string') warnings.push(`${key} is no text`)
  if (text.length > limit) warnings.push(`${key} has ${text.length} characters (the format allows ${limit})`)
  return text
}

function readMetadata(value: JsonValue | undefined, warnings: string[]): JsonObject {
  if (value === undefined || value === null) return {}
  if (isJsonObject(value)) return value
  warnings.push('metadata is not a map; it is kept among the fields only')
  return {}
}
