/** Functions that are exported in all the ways there are. */
import type { CallContext, Progress } from '@adjutant/core/contract'

/** An arrow function. */
export const arrowFunction = (value: number): { value: number } => ({ value })

/** A function expression. */
export const functionExpression = function named(value: string): { value: string } {
  return { value }
}

/** Exported under another name. */
function inner(value: boolean): { value: boolean } {
  return { value }
}

export { inner as outerName }

/** The default export. */
// biome-ignore lint/style/noDefaultExport: one of the ways to export
export default function byDefault(value: number): { value: number } {
  return { value }
}

/**
 * Waits a little.
 * @effect read
 * @timeout 2m
 * @tier extended
 * @repeatable
 * @background
 * @tag time, waiting
 * @returns what was asked
 * @example {"value":"x"}
 */
export async function waitAsync(value: string): Promise<{ value: string }> {
  await Promise.resolve()
  return { value }
}

/**
 * Gets the call's context.
 * @readonly
 */
export async function withContext(value: string, cx: CallContext): Promise<{ value: string; id: string }> {
  return { value, id: String(cx.callId) }
}

/**
 * Gets options and the context.
 * @dangerous
 * @name options_and_context
 * @maxResultChars 2000
 * @lifetime task
 */
export async function optionsAndContext(
  { path, force = false }: { path: string; force?: boolean },
  { signal }: CallContext,
): Promise<{ path: string; force: boolean; aborted: boolean }> {
  return { path, force, aborted: signal.aborted }
}

/** Tells how far it is. */
export async function* tellProgress(steps: 1 | 2 | 3): AsyncGenerator<Progress, { steps: number }, void> {
  for (let step = 1; step <= steps; step++) yield { current: step, total: steps }
  return { steps }
}

/** Is not for models. @internal */
export function notForModels(value: () => void): void {
  value()
}

/** Says nothing back. */
export function saysNothing(value: string): void {
  if (value === '\0') throw new Error('never')
}

/** Gets the signal of the call. */
export async function withSignal(value: string, signal?: AbortSignal): Promise<{ value: string; aborted: boolean }> {
  if (signal === undefined) throw new Error('no signal')
  return { value, aborted: signal.aborted }
}
