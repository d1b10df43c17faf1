/** `adjutant skills`: which skills there are, what one says, and whether one is fit. What reads files is here and runs nothing; `run` is beside it. */
import { resolve } from 'node:path'
import { loadSkills, type Skill } from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { printableLine, printableLines } from '../terminal/printable.ts'
import { writeColumns, writeProblems } from './listing.ts'
import { type FolderOptions, folderOptions, type NamedSkills, namedSkill, withFolders, withSkills } from './skills-load.ts'
import { addSkillsRunCommand } from './skills-run.ts'

const LIST_HELP = `
Folders are those of the configuration ("skills"), or the ones that --folder names. Of two skills with one name the one in the
folder named first counts. Skills that could not be loaded are said on stderr with the reason.
With --json one document: {"skills":[…],"problems":[…]}. Exit: 0 listed, 1 nothing could be loaded, 2 wrong usage.

Example:
  adjutant skills list --folder ./skills --folder ~/.agents/skills`

const SHOW_HELP = `
Exit: 0 shown, 1 there is no such skill, 2 wrong usage.

Example:
  adjutant skills show house-style --folder ./skills`

const VALIDATE_HELP = `
PATH is the folder of a skill, its SKILL.md, or a folder of skills. A problem keeps a skill from being loaded; a warning does not.
Exit: 0 all fit, 1 a skill has a problem (with --strict: or a warning), 2 wrong usage.

Example:
  adjutant skills validate ./skills/house-style --strict`

export function addSkillsCommand(program: Command, io: CliIo): void {
  const skills = program
    .command('skills')
    .description('list skills, show one, check whether it is fit, or run a script of one')
    .addHelpText('after', '\nExample:\n  adjutant skills list --folder ./skills')
  withFolders(skills.command('list').description('list the skills that there are'))
    .addHelpText('after', LIST_HELP)
    .action(async (_options, self: Command) => {
      const options = folderOptions(self)
      await withSkills(io, options, (named) => list(io, options, named))
    })
  withFolders(skills.command('show').description('show what one skill says').argument('<name>', 'the name of the skill'))
    .addHelpText('after', SHOW_HELP)
    .action(async (name: string, _options, self: Command) => {
      const options = folderOptions(self)
      await withSkills(io, options, async (named) => show(io, options, await namedSkill(io, named, name, options)))
    })
  addSkillsRunCommand(skills, io)
  skills
    .command('validate')
    .description('check a skill, or all skills of a folder')
    .argument('<path>', 'the folder of a skill, its SKILL.md, or a folder of skills')
    .option('--strict', 'let warnings count as well')
    .option('--json', 'print one JSON document')
    .addHelpText('after', VALIDATE_HELP)
    .action(async (path: string, _options, self: Command) => {
      const { strict, json } = self.optsWithGlobals()
      await validate(io, path, { strict: strict === true, json: json === true })
    })
}

async function list(io: CliIo, options: FolderOptions, { skills, problems, folders }: NamedSkills): Promise<void> {
  if (options.json) await writeJson(io.stdout, { skills: skills.map(summaryOf), problems })
  else {
    await writeColumns(
      io,
      skills.map((skill) => [skill.name, marksOf(skill), skill.description]),
    )
    await writeProblems(io, problems)
    if (folders.length === 0) await write(io.stderr, 'No folder of skills is named: use --folder, or "skills" in the configuration.\n')
    else if (skills.length === 0 && problems.length === 0)
      await write(io.stderr, `There are no skills in ${printableLine(folders.join(', '))}.\n`)
  }
  if (skills.length === 0 && problems.length > 0) io.exit(1)
}

async function show(io: CliIo, options: FolderOptions, skill: Skill): Promise<void> {
  const [body, bundled] = await Promise.all([skill.content.body(), skill.content.files()])
  if (options.json) {
    await writeJson(io.stdout, { ...summaryOf(skill), fields: skill.fields, body, files: bundled.files, moreFiles: bundled.more })
    return
  }
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['file', skill.file],
    [
      'may use',
      skill.allowedTools === undefined ? 'not said' : skill.allowedTools.length === 0 ? 'no tool' : skill.allowedTools.join(', '),
    ],
    ['model', skill.forModel ? 'may call it' : 'does not see it'],
    ['needs', skill.compatibility],
    ['licence', skill.license],
    ['files', bundled.files.length === 0 ? undefined : `${bundled.files.join(', ')}${bundled.more ? ', and more' : ''}`],
    ...skill.warnings.map((warning): readonly [string, string] => ['warning', warning]),
  ]
  const lines = facts.flatMap(([label, value]) => (value === undefined ? [] : [`${`${label}:`.padEnd(10)}${printableLine(value)}`]))
  await write(
    io.stdout,
    `${printableLine(skill.name)}\n\n${printableLines(skill.description)}\n\n${lines.join('\n')}\n\n${printableLines(body)}\n`,
  )
}

async function validate(io: CliIo, path: string, options: { readonly strict: boolean; readonly json: boolean }): Promise<void> {
  const folder = resolve(io.cwd, path)
  const { skills, problems } = await loadSkills([folder])
  const none = skills.length === 0 && problems.length === 0
  const warned = skills.some((skill) => skill.warnings.length > 0)
  const ok = !none && problems.length === 0 && !(options.strict && warned)
  if (options.json) {
    const found = none
      ? [{ code: 'SKILL_INVALID', source: folder, message: `${folder} holds no skill`, hint: 'Add a folder with a SKILL.md.' }]
      : problems
    await writeJson(io.stdout, { ok, skills: skills.map(({ name, file, warnings }) => ({ name, file, warnings })), problems: found })
  } else {
    for (const skill of skills) {
      await write(io.stdout, `${skill.warnings.length === 0 ? 'fit ' : 'warn'}  ${printableLine(`${skill.name}  ${skill.file}`)}\n`)
      for (const warning of skill.warnings) await write(io.stdout, `      ${printableLine(warning)}\n`)
    }
    for (const problem of problems) {
      await write(io.stdout, `bad   ${printableLine(problem.message)}\n      ${printableLine(problem.hint)}\n`)
    }
    if (none) await write(io.stderr, `${printableLine(folder)} holds no skill: there is no SKILL.md in it.\n`)
  }
  if (!ok) io.exit(1)
}

function summaryOf(skill: Skill): Readonly<Record<string, unknown>> {
  const { name, description, allowedTools, platforms, compatibility, license, metadata, forModel, directory, file, warnings } = skill
  return { name, description, allowedTools, platforms, compatibility, license, metadata, forModel, directory, file, warnings }
}

/** What a person should know at a glance. */
function marksOf(skill: Skill): string {
  const marks = [
    ...(skill.forModel ? [] : ['hidden']),
    ...(skill.allowedTools?.length === 0 ? ['no tools'] : []),
    ...(skill.warnings.length === 0 ? [] : [`${skill.warnings.length} warning${skill.warnings.length === 1 ? '' : 's'}`]),
  ]
  return marks.length === 0 ? '-' : marks.join(', ')
}
