/** Owns `run_skill_script`: a script that a skill brings, run by itself in the session's box with the skill's folder read-only beside it. */
import { extname } from 'node:path'
import { nearestNames } from '@adjutant/core'
import {
  AdjutantError,
  type AgentTool,
  type JsonObject,
  ownValue,
  type SandboxLanguage,
  type SandboxReport,
  type SandboxRun,
  type SandboxSpec,
} from '@adjutant/core/contract'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { textField } from '../input-fields.ts'
import type { CodeToolContext } from './code-tool-context.ts'
import { quoted } from './jobs.ts'
import { runCode } from './run-code.ts'
import type { OpensSandboxes } from './session-boxes.ts'
import { mountOf, type ScriptedSkill, SkillMounts } from './skill-mounts.ts'

const MOST_ARGUMENTS = 100

export function skillScriptTool(context: CodeToolContext, skills: SkillMounts): AgentTool {
  return {
    name: 'run_skill_script',
    description:
      'Run a script that a skill brings (.py, .sh, .js, or a program) in the sandbox. Use for: what the instructions of a skill tell you to run. Not for: commands of your own (bash does). ' +
      'The files of the skill are read-only in /skills/NAME; the script runs in /workspace, where bash and python see what it makes.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', minLength: 1, description: 'The name of the skill.' },
        script: { type: 'string', minLength: 1, description: 'A file of the skill, as it lists it.', examples: ['scripts/extract.py'] },
        args: { type: 'array', items: { type: 'string' }, maxItems: MOST_ARGUMENTS, description: 'Words for the script, each as it is.' },
        timeout_ms: context.timeoutSchema,
      },
      required: ['skill', 'script'],
      additionalProperties: false,
      examples: [{ skill: 'pdf', script: 'scripts/extract.py', args: ['report.pdf'] }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: context.codeEffect,
    untrusted: context.untrusted,
    endSession: context.endSession,
    limits: context.limits,
    execute: async (input, cx) => {
      const skill = skillOf(skills.skills, textField(input, 'skill'))
      const script = plainName(textField(input, 'script'))
      const args = argumentsOf(input)
      // Says whether it is a file of this skill, before anything is opened for it.
      await skill.content.read(script)
      const { lang, code } = scriptRun(`${mountOf(skill)}/${script}`, args)
      return context.boxes.use(cx, 'bash', async (box) => {
        if (!box.mounted)
          throw new AdjutantError('UNSUPPORTED', `boxes of ${box.sandbox.backend} cannot have the files of skills`, { outcome: 'not-run' })
        return runCode(box, { lang, code, session: false, timeoutMs: context.timeoutOf(input) }, cx, context)
      })
    },
  }
}

export interface SkillScriptRun {
  readonly sandboxes: OpensSandboxes
  readonly skill: ScriptedSkill
  /** A file of the skill. */
  readonly script: string
  readonly args: readonly string[]
  /** Of the box; its mounts are the skill's. */
  readonly spec?: Omit<SandboxSpec, 'mounts'>
  readonly signal?: AbortSignal
  /** Output as it comes. */
  readonly output?: SandboxRun['output']
}

/**
 * Runs a script of a skill once in a box of its own, which is gone afterwards: for a person who tries it.
 *
 * @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, SANDBOX_UNAVAILABLE, SANDBOX_TOO_WEAK, CANCELLED
 * @example
 * ```ts
 * const report = await runSkillScript({ sandboxes, skill, script: 'scripts/extract.py', args: ['a.pdf'] })
 * ```
 */
export async function runSkillScript(run: SkillScriptRun): Promise<SandboxReport> {
  const { sandboxes, skill, args, spec, signal, output } = run
  const script = plainName(run.script)
  await skill.content.read(script)
  const skills = new SkillMounts(() => [skill])
  try {
    await using box = await sandboxes.open({ ...spec, mounts: await skills.mounts() }, 'bash')
    return await box.run({
      ...scriptRun(`${mountOf(skill)}/${script}`, args),
      ...(signal === undefined ? {} : { signal }),
      ...(output === undefined ? {} : { output }),
    })
  } finally {
    await skills.close()
  }
}

function plainName(script: string): string {
  return script.replace(/^(?:\.\/)+/, '')
}

/** The script's own line says what runs it where its name does not. */
function scriptRun(path: string, args: readonly string[]): { readonly lang: SandboxLanguage; readonly code: string } {
  const words = [path, ...args].map(quoted).join(' ')
  switch (extname(path).toLowerCase()) {
    case '.py':
      return { lang: 'bash', code: `exec /usr/bin/env python3 ${words}` }
    case '.sh':
    case '.bash':
      return { lang: 'bash', code: `exec bash ${words}` }
    case '.js':
    case '.mjs':
    case '.cjs':
      return {
        lang: 'js',
        code: `process.argv.splice(1, Infinity, ...${JSON.stringify([path, ...args])})\nawait import(${JSON.stringify(path)})`,
      }
    default:
      return { lang: 'bash', code: `exec ${words}` }
  }
}

function skillOf(skills: readonly ScriptedSkill[], name: string): ScriptedSkill {
  const found = skills.find((skill) => skill.name === name)
  if (found !== undefined) return found
  const names = skills.map((skill) => skill.name)
  const near = nearestNames(name, names)
  throw new AdjutantError('NOT_FOUND', `there is no skill ${JSON.stringify(name.slice(0, 80))}`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : names.length === 0
          ? 'There are no skills.'
          : `There are: ${names.slice(0, 30).join(', ')}.`,
  })
}

function argumentsOf(input: JsonObject): readonly string[] {
  const value = ownValue(input, 'args')
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > MOST_ARGUMENTS || !value.every((one) => typeof one === 'string' && !one.includes('\0')))
    throw new AdjutantError('INVALID_ARGUMENTS', `"args" must be a list of at most ${MOST_ARGUMENTS} texts without zero characters`)
  return value.map(String)
}
