import type { AgentTool, Effect, JsonObject, JsonSchema, ToolLimits } from '../../../contract/index.ts'
import type { ConversionPlan } from './conversion-plan.ts'

/**
 * The file that `adjutant tools build` writes: what was read from typed functions, so that nobody who runs them needs a compiler.
 * It holds no code. The version grows when an older reader would misunderstand it.
 */
export const REFLECTED_FORMAT = 'adjutant-tools'
export const REFLECTED_VERSION = 1

/** Where one argument of the function comes from, in the order of its parameters. */
export type ArgumentSource =
  /** All arguments of the call as one object. */
  | { readonly from: 'whole' }
  /** One property of the arguments; `spread` for a rest parameter. */
  | { readonly from: 'argument'; readonly name: string; readonly spread?: boolean }
  /** The call context. */
  | { readonly from: 'context' }
  /** The signal of the call context. */
  | { readonly from: 'signal' }

export interface ReflectedTool {
  readonly name: string
  readonly description: string
  /** Path of the module, relative to the folder of this file, with `/`. */
  readonly module: string
  /** The name it is exported by; `default` for the default export. */
  readonly export: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly call: readonly ArgumentSource[]
  /** How the arguments become what the function takes; absent when JSON is what it takes. */
  readonly convert?: ConversionPlan
  /** Plans that `convert` refers to by name. */
  readonly definitions?: Readonly<Record<string, ConversionPlan>>
  readonly effect: Effect
  readonly tier?: AgentTool['tier']
  readonly lifetime?: AgentTool['lifetime']
  readonly repeatable?: boolean
  readonly background?: boolean
  readonly limits?: ToolLimits
  readonly tags?: readonly string[]
  readonly examples?: readonly (string | JsonObject)[]
}

export interface ReflectedDocument {
  readonly format: typeof REFLECTED_FORMAT
  readonly version: typeof REFLECTED_VERSION
  /** Version of the compiler that read the types; for people only. */
  readonly compiler: string
  readonly tools: readonly ReflectedTool[]
}
