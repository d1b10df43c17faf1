/**
 * Owns the tools that run code of a model: bash, python, javascript, background_jobs, run_skill_script. Code runs in boxes only; each session has its
 * own, made at its first call. What a run may do outside of its box decides what the tools say of themselves: see docs/guides/code.md.
 */
import { systemClock } from '@adjutant/core'
import {
  AdjutantError,
  type AgentTool,
  type Clock,
  type Effect,
  type ReadCommand,
  type SandboxGuarantee,
  type SandboxLimits,
  type SandboxMount,
  type SandboxNetwork,
  type SandboxSpec,
  type SessionId,
} from '@adjutant/core/contract'
import { wholeField } from '../input-fields.ts'
import { backgroundJobsTool, bashTool } from './bash-tool.ts'
import type { CodeToolContext } from './code-tool-context.ts'
import { javascriptTool, pythonTool } from './program-tools.ts'
import { type OpensSandboxes, SessionBoxes } from './session-boxes.ts'
import { type ScriptedSkill, SkillMounts } from './skill-mounts.ts'
import { skillScriptTool } from './skill-script-tool.ts'

export interface CodeToolsOptions {
  /** `openSandboxes` of `@adjutant/sandbox`. Stays open when the tools are closed. */
  readonly sandboxes: OpensSandboxes
  /** Says what commands do: `openBashReader` of `@adjutant/tools/commands`. */
  readonly readBash: ReadCommand
  /** A folder of the host that all boxes have as their workspace. Default: each box has one of its own that goes with it. */
  readonly workspace?: string
  /** Hosts that code may reach. Default none. */
  readonly network?: SandboxNetwork
  /** Read-only folders of the host in the boxes of bash and python. */
  readonly mounts?: readonly SandboxMount[]
  readonly env?: Readonly<Record<string, string>>
  /** `wallMs` bounds what a call may ask for. Default of that and of `cpuMs`: 600 000; of the others: the backend's. */
  readonly limits?: Partial<SandboxLimits>
  /** What boxes must enforce beyond what `sandboxes` requires. */
  readonly requires?: readonly SandboxGuarantee[]
  /** Skills whose scripts may be run, asked again for each box. Default: there is no run_skill_script. */
  readonly skills?: () => readonly ScriptedSkill[]
  /** Milliseconds without a call after which a session's box is closed. Default 900 000. */
  readonly idleMs?: number
  /** Boxes open at once. Default 64. */
  readonly maxBoxes?: number
  /** Calls that may wait for a box when all are busy; what comes beyond is refused with OVERLOADED. Default 256. */
  readonly maxWaiting?: number
  /** Default: the machine's own. */
  readonly clock?: Clock
}

export interface CodeTools extends AsyncDisposable {
  readonly tools: readonly AgentTool[]
  /** Boxes that are open. */
  readonly openBoxes: number
  /** Ends the session's boxes and everything in them, as the tools do by themselves when a `Session` is closed. Safe to call for any session. */
  closeSession(sessionId: SessionId): Promise<void>
  /** Ends all boxes that these tools opened. */
  close(): Promise<void>
}

const DEFAULT_TIMEOUT_MS = 120_000
const MOST_TIMEOUT_MS = 600_000
const DEFAULT_IDLE_MS = 900_000
const DEFAULT_BOXES = 64
const DEFAULT_WAITING = 256
/** A run ends by its own limit first, so that what it printed is kept. */
const SPARE_MS = 30_000

/**
 * @throws AdjutantError CONFIG_INVALID for a time or a number that is none
 * @example
 * ```ts
 * const sandboxes = openSandboxes({ clock: systemClock, ids: randomIds })
 * const code = createCodeTools({ sandboxes, readBash: await openBashReader() })
 * // register code.tools; at the end:
 * await code.close()
 * await sandboxes.close()
 * ```
 */
export function createCodeTools(options: CodeToolsOptions): CodeTools {
  const idleMs = checked('idleMs', options.idleMs ?? DEFAULT_IDLE_MS)
  const maxBoxes = checked('maxBoxes', options.maxBoxes ?? DEFAULT_BOXES)
  const maxWaiting = options.maxWaiting === 0 ? 0 : checked('maxWaiting', options.maxWaiting ?? DEFAULT_WAITING)
  const mostMs = checked('limits.wallMs', options.limits?.wallMs ?? MOST_TIMEOUT_MS)
  const clock = options.clock ?? systemClock
  const skills = options.skills === undefined ? undefined : new SkillMounts(options.skills)
  const boxes = new SessionBoxes({
    sandboxes: options.sandboxes,
    clock,
    idleMs,
    maxBoxes,
    maxWaiting,
    spec: async (lang) => specOf(options, mostMs, lang === 'js' ? [] : [...(options.mounts ?? []), ...((await skills?.mounts()) ?? [])]),
  })
  const usualMs = Math.min(DEFAULT_TIMEOUT_MS, mostMs)
  const reaches = options.network !== undefined && options.network !== 'none' && options.network.allow.length > 0
  const context: CodeToolContext = {
    boxes,
    clock,
    readBash: options.readBash,
    isShared: options.workspace !== undefined,
    codeEffect: effectOfCode(options.workspace !== undefined, reaches),
    untrusted: reaches,
    limits: { timeoutMs: mostMs + SPARE_MS, maxResultChars: 16_000, retries: 0 },
    timeoutSchema: { type: 'integer', minimum: 1, maximum: mostMs, description: `Milliseconds. Default ${usualMs}, at most ${mostMs}.` },
    endSession: (sessionId) => boxes.closeSession(sessionId),
    surroundings: surroundings(options.workspace !== undefined, options.network),
    timeoutOf: (input) => wholeField(input, 'timeout_ms', { min: 1, max: mostMs, fallback: usualMs }),
  }
  const close = async (): Promise<void> => {
    await boxes.close()
    await skills?.close()
  }
  return {
    tools: [
      bashTool(context),
      backgroundJobsTool(context),
      pythonTool(context),
      javascriptTool(context),
      ...(skills === undefined ? [] : [skillScriptTool(context, skills)]),
    ],
    get openBoxes() {
      return boxes.size
    },
    closeSession: (sessionId) => boxes.closeSession(sessionId),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function specOf(options: CodeToolsOptions, wallMs: number, mounts: readonly SandboxMount[]): SandboxSpec {
  return {
    // Within its time a run may use the processor as much as it likes.
    limits: { cpuMs: wallMs, ...options.limits, wallMs },
    ...(options.network === undefined ? {} : { network: options.network }),
    ...(options.workspace === undefined ? {} : { workspace: { host: options.workspace } }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.requires === undefined ? {} : { requires: options.requires }),
    ...(mounts.length === 0 ? {} : { mounts }),
  }
}

/** Code may do anything that its box can do: to nothing that lasts, to files that somebody keeps, or to hosts that it reaches. */
function effectOfCode(isShared: boolean, reaches: boolean): Effect {
  return isShared || reaches ? 'dangerous' : 'write'
}

function surroundings(isShared: boolean, network: SandboxNetwork | undefined): string {
  const files = isShared
    ? 'Files are in /workspace, the project folder.'
    : 'Files are in /workspace, empty at first, gone with the session.'
  if (network === undefined || network === 'none' || network.allow.length === 0) return `${files} There is no network.`
  return `${files} Of the network only ${network.allow.slice(0, 10).join(', ')}${network.allow.length > 10 ? ' and some more' : ''} can be reached.`
}

function checked(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new AdjutantError('CONFIG_INVALID', `${name} of the code tools must be a whole number above 0, got ${String(value)}`)
}
