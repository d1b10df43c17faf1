import type { StandardSchemaV1 } from '@standard-schema/spec'
import type {
  AgentTool,
  CallContext,
  ContentPart,
  Effect,
  JsonSchema,
  Origin,
  Progress,
  ResourceClaim,
  ToolLimits,
} from '../../contract/index.ts'
import type { InferJsonSchema } from './infer-json-schema.ts'
import { makeTool } from './make-tool.ts'

/** A JSON Schema written in place, or a schema of any library that follows Standard Schema. */
export type ToolSchema = StandardSchemaV1 | JsonSchema

/** What a tool's functions get: for a schema library, the value as the library makes it. */
export type ToolInput<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : InferJsonSchema<Schema>

/** What the model sends, before a schema library fills in defaults and transforms. */
export type RawToolInput<Schema> = Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : InferJsonSchema<Schema>

type ResultOf<Schema> = [Schema] extends [StandardSchemaV1]
  ? StandardSchemaV1.InferOutput<Schema>
  : [Schema] extends [undefined]
    ? unknown
    : InferJsonSchema<Schema>

export interface ToolSpec<Input extends ToolSchema, Output extends ToolSchema | undefined, Result> {
  /** `^[A-Za-z0-9_-]{1,64}$` */
  readonly name: string
  /** For the model: use for …; not for … */
  readonly description: string
  readonly input: Input
  /** The JSON Schema of `input`, for a library that cannot write one itself. */
  readonly inputSchema?: JsonSchema
  /** What comes back; said to clients that ask, and checked by the compiler, not at run time. */
  readonly output?: Output
  readonly outputSchema?: JsonSchema
  /** Default `write`: a tool that says nothing runs alone, and a person may be asked. */
  readonly effect?: Effect | ((input: RawToolInput<Input>) => Effect)
  /** Another word for a fixed effect. */
  readonly permission?: 'read_only' | 'write' | 'dangerous'
  /** Safe to run again with the same arguments. Default: true for a `read` effect, else false. */
  readonly repeatable?: boolean
  readonly limits?: ToolLimits
  /** Default `core`. */
  readonly tier?: AgentTool['tier']
  /** Default `session`. */
  readonly lifetime?: AgentTool['lifetime']
  readonly origin?: Origin
  resources?(input: RawToolInput<Input>): readonly ResourceClaim[]
  /** Words to group tools by, for policy. */
  readonly tags?: readonly string[]
  /** JSON Pointers of arguments that say nothing about what is asked, e.g. `/requestId`. */
  readonly volatile?: readonly string[]
  /** Its results carry text of strangers. */
  readonly untrusted?: boolean
  /** Repeated reads may be answered from the session's memory: see {@link AgentTool.remember}. */
  readonly remember?: AgentTool['remember']
  /** Which parts of the arguments do what: see {@link AgentTool.marks}. */
  readonly marks?: AgentTool['marks']
  /** Lets go of what the tool keeps for a session that is over: see {@link AgentTool.endSession}. */
  readonly endSession?: AgentTool['endSession']
  /** Goes on behind the session, which is told when it has ended: see {@link AgentTool.background}. Default false. */
  readonly background?: boolean
  /** After a crash in the middle of a call that may not be repeated: did it take effect? See {@link AgentTool.reconcile}. */
  reconcile?(input: ToolInput<Input>, cx: CallContext): Promise<'ran' | 'not-run' | 'unknown'> | 'ran' | 'not-run' | 'unknown'
  /** Business rule, before anybody is asked. Throws to refuse; the message is for the model. */
  check?(input: ToolInput<Input>, cx: CallContext): Promise<void> | void
  /** Gives a value, a promise of one, or yields progress and returns the value. */
  execute(input: ToolInput<Input>, cx: CallContext): Result | Promise<Result> | AsyncGenerator<Progress, Result, void>
  /** Turns the value into what the model reads. `input` is as the model sent it. */
  format?(output: NoInfer<Result>, input: RawToolInput<Input>): string | readonly ContentPart[]
}

/** A tool whose argument and result types are known. At run time an {@link AgentTool} and nothing more. */
export interface DefinedTool<In, Out> extends AgentTool {
  /** For the compiler only; never there at run time. */
  readonly '~types'?: { readonly input: In; readonly output: Out }
}

/**
 * Makes a tool of a function. The types of arguments and result are inferred.
 *
 * With a JSON Schema, admission checks and converts the arguments before the function sees them. With a schema library, its
 * own `validate` runs as well: before a person is asked, and again when the tool runs, which then gets the library's value.
 *
 * @throws AdjutantError TOOL_INVALID naming the member that is wrong
 * @example
 * ```ts
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers. Not for dates.',
 *   input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
 *   effect: 'read',
 *   execute: async ({ a, b }) => a + b,
 * })
 * ```
 */
export function defineTool<
  const Input extends ToolSchema,
  Result extends ResultOf<Output>,
  const Output extends ToolSchema | undefined = undefined,
>(spec: ToolSpec<Input, Output, Result>): DefinedTool<ToolInput<Input>, Result> {
  return makeTool(spec, { kind: 'function', from: 'code' })
}
