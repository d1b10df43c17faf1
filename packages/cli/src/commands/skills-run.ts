/**
 * `adjutant skills run`: a script of a skill, once, in a box of its own. What the policy and the configuration say of the tool run_skill_script
 * counts here as well; only whom a rule would ask is whoever typed the command. Leaves nothing behind.
 */
import { resolve } from 'node:path'
import { Admission, type AgentTool, callId, randomIds, type Skill } from '@adjutant/core'
import { AdjutantError, type JsonObject, type ReadCommand, type SandboxSpec } from '@adjutant/core/contract'
import type { Sandboxes } from '@adjutant/sandbox'
import { type Command, InvalidArgumentError } from 'commander'
import { type CliIo, writeJson } from '../cli-io.ts'
import { toolAdjuster } from '../config/adjust-tools.ts'
import { commandReaders } from '../config/command-readers.ts'
import type { CodeConfig, Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { openPolicy } from '../config/open-guards.ts'
import { personOf } from '../config/principal.ts'
import { OutputThrough, runDocument, tellEnd } from './run-report.ts'
import { openMachineSandboxes, tellNotes } from './sandbox-open.ts'
import { type FolderOptions, folderOptions, namedSkill, withFolders, withSkills } from './skills-load.ts'

const HELP = `
SCRIPT is a file of the skill: .py, .sh, .js, or a program. It runs once in a box of its own, which is gone afterwards: in /workspace,
with the skill's folder read-only in /skills/NAME. What begins with - goes behind --. What the configuration says under tools.code
(order, requires, limits, network, workspace) and the policy for the tool run_skill_script count here too; a rule that asks is
answered by typing the command.

With --json one document on stdout, as of adjutant sandbox run. Exit: 0 the script ended with 0, 1 it did not, or no box can be had, or
there is no such skill or script, 2 wrong usage, 3 the policy refuses it or no box is strong enough.

Example:
  adjutant skills run pdf scripts/extract.py report.pdf --folder ./skills --workspace . --json
  adjutant skills run pdf scripts/extract.py --folder ./skills -- --pages 1-3`

/** Commands are not what is judged here. */
const unread: ReadCommand = () => ({ effect: 'dangerous', reasons: ['it was not read'], parts: [] })

interface ScriptOptions extends FolderOptions {
  readonly backend?: string
  readonly timeoutMs?: number
  readonly net?: readonly string[]
  readonly workspace?: string
}

interface ScriptCall {
  readonly name: string
  readonly script: string
  readonly args: readonly string[]
}

export function addSkillsRunCommand(skills: Command, io: CliIo): void {
  withFolders(
    skills
      .command('run')
      .description('run a script of a skill once in a box of its own')
      .argument('<name>', 'the name of the skill')
      .argument('<script>', 'a file of the skill')
      .argument('[args...]', 'words for the script, each as it is'),
  )
    .option('--backend <name>', 'use this backend or none (default: the first that fits)')
    .option('--timeout <ms>', 'milliseconds that it may take (default: 60000)', milliseconds)
    .option('--net <hosts>', 'hosts that it may reach, with commas between, or none', hosts)
    .option('--workspace <folder>', 'a folder of this machine that it may read and write (default: an empty one that goes with the box)')
    .addHelpText('after', HELP)
    .action(async (name: string, script: string, args: readonly string[], _options, self: Command) => {
      await run(io, { name, script, args }, optionsOf(self))
    })
}

async function run(io: CliIo, call: ScriptCall, options: ScriptOptions): Promise<void> {
  const config = await loadConfig(io, options.config)
  await tellNotes(io, config)
  await withSkills(io, options, async (named) => {
    const skill = await namedSkill(io, named, call.name, options)
    // What is no file of the skill is said before anything is opened for it.
    await skill.content.read(call.script.replace(/^(?:\.\/)+/, ''))
    const { spec, code } = settingsOf(io, config, options)
    const sandboxes = await openMachineSandboxes({
      env: io.env,
      config,
      ...(options.backend === undefined ? {} : { backend: options.backend }),
      ...(code.order === undefined ? {} : { order: code.order }),
      ...(code.requires === undefined ? {} : { requires: code.requires }),
    })
    try {
      await admit(io, { config, call, tool: await toolOf(config, sandboxes, spec, skill) })
      await runIn(io, { sandboxes, skill, call, spec, json: options.json })
    } catch (error) {
      // What is required is somebody's rule: too weak a box is refused by it.
      if (AdjutantError.isInstance(error) && error.code === 'SANDBOX_TOO_WEAK') io.exit(3)
      throw error
    } finally {
      await sandboxes.close()
    }
  })
}

type BoxSpec = Pick<SandboxSpec, 'limits' | 'network' | 'workspace'>

/** What was typed goes before what the configuration says. */
function settingsOf(io: CliIo, config: Config, options: ScriptOptions): { readonly spec: BoxSpec; readonly code: CodeConfig } {
  const code: CodeConfig = typeof config.code === 'object' ? config.code : {}
  const network = options.net ?? code.network ?? []
  const folder = options.workspace === undefined ? undefined : resolve(io.cwd, options.workspace)
  const workspace = folder ?? (code.workspace === 'project' ? config.workspace : undefined)
  const limits = { ...config.sandbox.limits, ...code.limits }
  const wallMs = options.timeoutMs ?? limits.wallMs
  return {
    code,
    spec: {
      limits: { ...(wallMs === undefined ? {} : { cpuMs: wallMs }), ...limits, ...(wallMs === undefined ? {} : { wallMs }) },
      ...(network.length === 0 ? {} : { network: { allow: network } }),
      ...(workspace === undefined ? {} : { workspace: { host: workspace } }),
    },
  }
}

/** The tool as a session would have it: what its code may do outside of the box is what the policy judges. */
async function toolOf(config: Config, sandboxes: Sandboxes, spec: BoxSpec, skill: Skill): Promise<AgentTool> {
  const [{ createCodeTools }, readers] = await Promise.all([
    import('@adjutant/tools'),
    config.guards.commands === undefined ? undefined : commandReaders(),
  ])
  const { tools } = createCodeTools({
    sandboxes,
    readBash: unread,
    skills: () => [skill],
    ...(spec.workspace === undefined ? {} : { workspace: spec.workspace.host }),
    ...(spec.network === undefined ? {} : { network: spec.network }),
  })
  const tool = tools.find(({ name }) => name === 'run_skill_script')
  if (tool === undefined) throw new AdjutantError('INTERNAL', 'there is no tool that runs scripts of skills')
  return toolAdjuster(config.guards, (language) => readers?.[language] ?? unread)(tool)
}

/** @throws AdjutantError DENIED_BY_POLICY, USAGE */
async function admit(
  io: CliIo,
  { config, call, tool }: { readonly config: Config; readonly call: ScriptCall; readonly tool: AgentTool },
): Promise<void> {
  const admission = new Admission({
    mode: config.approve,
    principal: personOf(config, undefined).principal,
    policy: await openPolicy(config, io),
  })
  const value: JsonObject = { skill: call.name, script: call.script, args: [...call.args] }
  const verdict = admission.admit(
    { id: callId(randomIds.next('call')), index: 0, name: tool.name, arguments: { ok: true, value }, idFromProvider: false },
    { get: (name) => (name === tool.name ? tool : undefined), names: () => [tool.name] },
  )
  if (verdict.type !== 'refused') return
  if (verdict.error.code !== 'INVALID_ARGUMENTS') throw verdict.error
  throw new AdjutantError('USAGE', verdict.error.message, { hint: 'See adjutant skills run --help.' })
}

async function runIn(
  io: CliIo,
  {
    sandboxes,
    skill,
    call,
    spec,
    json,
  }: {
    readonly sandboxes: Sandboxes
    readonly skill: Skill
    readonly call: ScriptCall
    readonly spec: BoxSpec
    readonly json: boolean
  },
): Promise<void> {
  const { runSkillScript } = await import('@adjutant/tools')
  const out = new OutputThrough(io)
  const report = await runSkillScript({
    sandboxes,
    skill,
    script: call.script,
    args: call.args,
    spec,
    signal: io.signal,
    ...(json ? {} : { output: (stream, bytes) => out.add(stream, bytes) }),
  })
  if (json) await writeJson(io.stdout, runDocument(report))
  else {
    await out.end(report)
    await tellEnd(io, report)
  }
  if (report.exitCode !== 0) io.exit(1)
}

function optionsOf(command: Command): ScriptOptions {
  const { backend, timeout, net, workspace } = command.optsWithGlobals()
  return {
    ...folderOptions(command),
    ...(typeof backend === 'string' ? { backend } : {}),
    ...(typeof timeout === 'number' ? { timeoutMs: timeout } : {}),
    ...(Array.isArray(net) ? { net: net.map(String) } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
  }
}

function milliseconds(text: string): number {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number above 0.')
  return value
}

function hosts(text: string): readonly string[] {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && one !== 'none')
}
