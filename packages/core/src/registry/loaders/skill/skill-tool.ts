import { AdjutantError, type AgentTool } from '../../../contract/index.ts'
import type { Skill } from './skill.ts'

/** Instructions are of use only whole: far above the limit of ordinary results. */
const MAX_RESULT_CHARS = 64_000

/** Runs scripts in a box, where a session has it. */
const SCRIPT_TOOL = 'run_skill_script'

const SKILL_TAGS = Object.freeze(['skill'])

/**
 * A skill as a model sees it: a tool with the skill's description and no arguments of its own, whose result is the skill's
 * instructions. Calling it changes nothing.
 */
export function skillTool(skill: Skill, name: string): AgentTool {
  return Object.freeze<AgentTool>({
    name,
    description: skill.description,
    // Open: models like to say what they want the skill for, and there is no reason to refuse that.
    inputSchema: {
      type: 'object',
      properties: { file: { type: 'string', description: 'A file of the skill to read instead of its instructions, as they list it.' } },
    },
    origin: Object.freeze({ kind: 'skill', from: skill.file, ...(name === skill.name ? {} : { originalName: skill.name }) }),
    tier: 'extended',
    tags: SKILL_TAGS,
    ...(skill.allowedTools === undefined ? {} : { allows: skill.allowedTools }),
    lifetime: 'session',
    effect: 'read',
    repeatable: true,
    limits: Object.freeze({ maxResultChars: MAX_RESULT_CHARS }),
    execute: async (input, cx) =>
      typeof input.file === 'string' ? fileOf(skill, input.file) : instructionsOf(skill, cx.hasTool?.(SCRIPT_TOOL) ?? false),
  })
}

/** @throws AdjutantError NOT_FOUND when the file is gone */
async function instructionsOf(skill: Skill, runsScripts: boolean): Promise<string> {
  const [body, bundled] = await Promise.all([skill.content.body(), skill.content.files()])
  const lines = [`<skill_content name="${escaped(skill.name)}">`, body === '' ? '(This skill has no instructions.)' : body, '']
  if (skill.compatibility !== undefined) lines.push(`Needs: ${oneLine(skill.compatibility)}`)
  if (skill.allowedTools !== undefined) {
    lines.push(`Tools that this skill may use: ${skill.allowedTools.length === 0 ? 'none' : oneLine(skill.allowedTools.join(', '))}`)
  }
  lines.push(`Skill directory: ${oneLine(skill.content.place)}`, 'Relative paths in this skill are relative to that directory.')
  if (bundled.files.length > 0) {
    lines.push('<skill_resources>', ...bundled.files.map((file) => `<file>${escaped(file)}</file>`))
    if (bundled.more) lines.push('(and more)')
    lines.push(
      '</skill_resources>',
      `Read one of them by calling this skill with {"file": "its name"}. ${runsScripts ? howToRun(skill) : 'Scripts among them cannot be run here: no sandbox is configured.'}`,
    )
  }
  lines.push('</skill_content>')
  return lines.join('\n')
}

function howToRun(skill: Skill): string {
  const call = `{"skill": ${escaped(JSON.stringify(skill.name)).replaceAll('&quot;', '"')}, "script": "its name", "args": ["…"]}`
  return `Run a script among them with ${SCRIPT_TOOL} ${call}; leave args out where it needs none.`
}

/** @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, TOO_LARGE, UNSUPPORTED */
async function fileOf(skill: Skill, path: string): Promise<string> {
  const bytes = await skill.content.read(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AdjutantError('UNSUPPORTED', `${path} of the skill ${skill.name} is not text in UTF-8 (${bytes.byteLength} bytes)`, { cause })
  }
}

/** A file's name may be anything; in this text it stays one line and one element. */
function escaped(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}
