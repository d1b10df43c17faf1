/**
 * The tools that reach further than files: code in boxes, and pages of the web. There only where the configuration asks for them; what they stand
 * on is loaded then.
 */
import type { AgentTool, Clock, Skill } from '@adjutant/core'
import type { SandboxLimits } from '@adjutant/core/contract'
import type { CliIo } from '../cli-io.ts'
import { commandReaders } from './command-readers.ts'
import type { CodeConfig, Config } from './config.ts'
import { openBoxes } from './open-boxes.ts'
import type { SandboxConfig } from './sandbox-config.ts'

export interface ReachingTools {
  readonly tools: readonly AgentTool[]
  close(): Promise<void>
}

export interface ReachingToolsHost {
  readonly io: Pick<CliIo, 'env'>
  readonly clock: Clock
  /** Skills whose scripts may be run in a box, as they are when one is opened. */
  skills(): readonly Skill[]
}

/** @throws AdjutantError CONFIG_INVALID for a backend that there is not, or a number that is none */
export async function reachingTools({ code, http, sandbox, workspace }: Config, host: ReachingToolsHost): Promise<ReachingTools> {
  const tools: AgentTool[] = []
  const closers: (() => Promise<void>)[] = []
  if (http !== false) {
    const { createHttpTool } = await import('@adjutant/tools')
    tools.push(createHttpTool({ ...(http === true ? {} : http), clock: host.clock }))
  }
  if (code !== false) {
    const opened = await openCode(code === true ? {} : code, { sandbox, workspace }, host)
    tools.push(...opened.tools)
    closers.push(opened.close)
  }
  return {
    tools,
    async close() {
      for (const close of closers) await close()
    },
  }
}

async function openCode(
  code: CodeConfig,
  { sandbox, workspace }: { readonly sandbox: SandboxConfig; readonly workspace: string },
  { io, clock, skills }: ReachingToolsHost,
): Promise<ReachingTools> {
  const [sandboxes, { createCodeTools }, { bash }] = await Promise.all([
    openBoxes(sandbox, {
      env: io.env,
      clock,
      ...(code.order === undefined ? {} : { order: code.order }),
      ...(code.requires === undefined ? {} : { alsoRequires: code.requires }),
    }),
    import('@adjutant/tools'),
    commandReaders(),
  ])
  const limits: Partial<SandboxLimits> = { ...sandbox.limits, ...code.limits }
  const made = createCodeTools({
    sandboxes,
    readBash: bash,
    clock,
    limits,
    skills: () => skills().filter((skill) => skill.forModel),
    ...(code.workspace === 'project' ? { workspace } : {}),
    ...(code.network === undefined ? {} : { network: { allow: code.network } }),
    ...(code.idleMs === undefined ? {} : { idleMs: code.idleMs }),
    ...(code.maxBoxes === undefined ? {} : { maxBoxes: code.maxBoxes }),
    ...(code.maxWaiting === undefined ? {} : { maxWaiting: code.maxWaiting }),
  })
  return {
    tools: made.tools,
    async close() {
      await made.close()
      await sandboxes.close()
    },
  }
}
