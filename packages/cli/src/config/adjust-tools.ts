/**
 * What a configuration says of tools that somebody else wrote: other limits, that their results come from strangers, that an argument of theirs
 * is a command whose effect can be read. Applied to every tool as it enters the registry, whoever it comes from.
 */
import {
  type AgentTool,
  type ArgumentMark,
  type Effect,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  matchesName,
  ownValue,
  type ReadCommand,
} from '@adjutant/core'
import type { CommandConfig, GuardConfig } from './config.ts'

/** Reads commands of each language that the configuration names. */
export type CommandReader = (language: CommandConfig['language']) => ReadCommand

/** @param readers only asked when the configuration has `commands` */
export function toolAdjuster(config: GuardConfig, readers: CommandReader): (tool: AgentTool) => AgentTool {
  const { toolLimits = {}, untrusted = [], commands = [] } = config
  if (Object.keys(toolLimits).length === 0 && untrusted.length === 0 && commands.length === 0) return (tool) => tool
  return (tool) => {
    const limits = Object.entries(toolLimits).filter(([pattern]) => matchesName(pattern, tool.name))
    const command = commands.find(({ tools }) => tools.some((pattern) => matchesName(pattern, tool.name)))
    const stranger = untrusted.some((pattern) => matchesName(pattern, tool.name))
    if (limits.length === 0 && command === undefined && !stranger) return tool
    return {
      ...tool,
      ...(limits.length === 0 ? {} : { limits: Object.assign({}, tool.limits, ...limits.map(([, next]) => next)) }),
      ...(stranger ? { untrusted: true } : {}),
      ...(command === undefined ? {} : readAs(command, readers(command.language))),
    }
  }
}

function readAs({ argument }: CommandConfig, read: ReadCommand): Pick<AgentTool, 'effect' | 'marks'> {
  const path = argument.startsWith('/') ? argument : `/${argument}`
  const textOf = (input: JsonObject): string | undefined => {
    const value = at(input, path)
    return typeof value === 'string' ? value : undefined
  }
  return {
    effect(input): Effect {
      const text = textOf(input)
      // No command where one is expected: nobody can say what the tool does then.
      return text === undefined ? 'dangerous' : read(text).effect
    },
    marks(input): readonly ArgumentMark[] {
      const text = textOf(input)
      if (text === undefined) return []
      return read(text).parts.map(({ start, end, effect, reason }) => ({ path, start, end, effect, reason }))
    },
  }
}

function at(input: JsonObject, pointer: string): JsonValue | undefined {
  let here: JsonValue | undefined = input
  for (const part of pointer.split('/').slice(1)) {
    if (!isJsonObject(here)) return undefined
    here = ownValue(here, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return here
}
