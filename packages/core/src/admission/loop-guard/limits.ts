import { AdjutantError } from '../../contract/errors.ts'
import type { Clock } from '../../contract/ports.ts'
import type { AgentTool } from '../../contract/tool.ts'
import { matchesName } from '../../util/match-name.ts'

/** What the guard bears of one tool. */
export interface ToolLoopLimits {
  /** Equal calls in a row with equal results, of which the last is not run. From 2. Default 5. */
  readonly identical?: number
  /** Failures in a row with one and the same error, whatever the arguments; the call after the last but one is not run. From 2. Default 5. */
  readonly sameError?: number
  /**
   * Reads in a row with other wording about the same thing and one and the same result. From 2. Default 10. Twice as many when they are about
   * other things each time and the result is long.
   */
  readonly sameResult?: number
  /** `false`: calls of this tool are not looked at. Default true. */
  readonly watched?: boolean
}

export interface LoopGuardOptions extends ToolLoopLimits {
  /** Calls that are remembered, 5 … 1 000. Default 20. Cycles need three times their length. */
  readonly window?: number
  /** Lengths of cycles that are looked for: from 2 to 10. Default 2 … 5. */
  readonly cycles?: { readonly shortest?: number; readonly longest?: number }
  /** Calls in a row that brought nothing new, in any order, before the next such call is not run. Default 15. */
  readonly standstill?: number
  /** Different productive calls after which a warning is forgotten. Default 5. */
  readonly forgetAfter?: number
  /** By tool name, or by a pattern with `*`: wins over what the tool says itself. The first that fits counts. */
  readonly tools?: Readonly<Record<string, ToolLoopLimits>>
  /** For values that hold the present moment, and for waits between retries. Default: none, and no time is the present. */
  readonly clock?: Clock
}

export interface ResolvedToolLimits {
  readonly identical: number
  readonly sameError: number
  readonly sameResult: number
  readonly watched: boolean
}

export interface ResolvedLimits {
  readonly window: number
  readonly shortestCycle: number
  readonly longestCycle: number
  readonly standstill: number
  readonly forgetAfter: number
  readonly base: ResolvedToolLimits
  readonly tools: readonly (readonly [string, ToolLoopLimits])[]
}

/** @throws AdjutantError CONFIG_INVALID that names the number that is out of range */
export function resolveLimits(options: LoopGuardOptions): ResolvedLimits {
  const window = whole(options.window, 20, 5, 1_000, 'window')
  const shortest = whole(options.cycles?.shortest, 2, 2, 10, 'cycles.shortest')
  const tools = Object.entries(options.tools ?? {})
  for (const [name, limits] of tools) checked(limits, `tools.${name}.`)
  const own = checked(options, '')
  return {
    window,
    shortestCycle: shortest,
    longestCycle: whole(options.cycles?.longest, Math.max(5, shortest), shortest, 10, 'cycles.longest'),
    standstill: whole(options.standstill, 15, 5, 1_000_000, 'standstill'),
    forgetAfter: whole(options.forgetAfter, 5, 1, 1_000_000, 'forgetAfter'),
    base: {
      identical: own.identical ?? 5,
      sameError: own.sameError ?? 5,
      sameResult: own.sameResult ?? 10,
      watched: own.watched ?? true,
    },
    tools,
  }
}

/** The host's word wins over the tool's own, that over the default. A number of a tool's definition that makes no sense is passed over. */
export function limitsOf(limits: ResolvedLimits, name: string, tool: AgentTool | undefined): ResolvedToolLimits {
  const host = limits.tools.find(([pattern]) => matchesName(pattern, name))?.[1]
  const own = tool?.limits?.loop
  const identical = own?.identical
  const sensible = identical !== undefined && Number.isSafeInteger(identical) && identical >= 2
  if (host === undefined && own === undefined) return limits.base
  return {
    identical: host?.identical ?? (sensible ? identical : limits.base.identical),
    sameError: host?.sameError ?? limits.base.sameError,
    sameResult: host?.sameResult ?? limits.base.sameResult,
    watched: host?.watched ?? own?.watched ?? limits.base.watched,
  }
}

function checked(limits: ToolLoopLimits, place: string): ToolLoopLimits {
  whole(limits.identical, 2, 2, 1_000_000, `${place}identical`)
  whole(limits.sameError, 2, 2, 1_000_000, `${place}sameError`)
  whole(limits.sameResult, 2, 2, 1_000_000, `${place}sameResult`)
  return limits
}

function whole(value: number | undefined, fallback: number, least: number, most: number, name: string): number {
  if (value === undefined) return fallback
  if (!Number.isSafeInteger(value) || value < least || value > most) {
    throw new AdjutantError('CONFIG_INVALID', `loop guard: ${name} must be a whole number from ${least} to ${most}, not ${value}`)
  }
  return value
}
