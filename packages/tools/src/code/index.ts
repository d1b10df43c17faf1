export { type CodeTools, type CodeToolsOptions, createCodeTools } from './create-code-tools.ts'
export type { OpensSandboxes } from './session-boxes.ts'
export type { ScriptedSkill } from './skill-mounts.ts'
export { runSkillScript, type SkillScriptRun } from './skill-script-tool.ts'
