/** The arguments of a call as a person reads them: a text with its dangerous parts marked, all else as JSON. All of it printable. */
import { type AdmittedCall, type ArgumentMark, isJsonObject, type JsonObject, type JsonValue, ownValue } from '@adjutant/core'
import { type MarkedText, markedText, type TextMark } from './marked-text.ts'
import { printableArgument } from './printable.ts'

export interface ArgumentView {
  readonly name: string
  /** What fits a screen: of a long text the beginning, the end and what is around the marks. */
  readonly brief: MarkedText
  /** All of it, up to {@link WHOLE_CHARS}. */
  whole(): MarkedText
}

/** Of one argument, when all of it is asked for. */
const WHOLE_CHARS = 256 * 1024

/** Marks that tools give are looked at up to here. */
const MAX_MARKS = 10_000

/** @param skip arguments that are shown elsewhere; those with marks are shown all the same */
export function argumentViews(call: AdmittedCall, skip: ReadonlySet<string> = new Set()): readonly ArgumentView[] {
  const { input } = call
  const marks = marksOf(call)
  const views: ArgumentView[] = []
  for (const [name, value] of Object.entries(input)) {
    const own = marks.get(pointerOf(name)) ?? []
    if (skip.has(name) && own.length === 0) continue
    views.push(viewOf(printableArgument(name), textOf(value), typeof value === 'string' ? own : [], call))
  }
  // A marked text deeper down: its surroundings are shown as JSON above, itself as it is.
  for (const [path, own] of marks) {
    const names = path.split('/').slice(1).map(unescaped)
    const value = names.length < 2 ? undefined : deepValue(input, names)
    if (typeof value === 'string') views.push(viewOf(printableArgument(names.join('.')), value, own, call))
  }
  return views
}

function viewOf(name: string, text: string, marks: readonly TextMark[], { effect }: AdmittedCall): ArgumentView {
  return { name, brief: markedText(text, marks, effect), whole: () => markedText(text, marks, effect, WHOLE_CHARS) }
}

/** By path. What a tool's `marks` throws or gives beside marks is passed over: the question is asked all the same. */
function marksOf({ tool, input }: AdmittedCall): ReadonlyMap<string, readonly TextMark[]> {
  const found = new Map<string, ArgumentMark[]>()
  try {
    const given: unknown = tool.marks?.(input)
    if (!Array.isArray(given)) return found
    for (const mark of given.slice(0, MAX_MARKS)) {
      if (!isMark(mark)) continue
      const { path } = mark
      const others = found.get(path)
      if (others === undefined) found.set(path, [mark])
      else others.push(mark)
    }
  } catch {
    found.clear()
  }
  return found
}

function isMark(mark: unknown): mark is ArgumentMark {
  return typeof mark === 'object' && mark !== null && 'path' in mark && typeof mark.path === 'string'
}

function pointerOf(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function deepValue(input: JsonObject, names: readonly string[]): JsonValue | undefined {
  let here: JsonValue | undefined = input
  for (const name of names) {
    if (Array.isArray(here)) here = /^\d{1,6}$/.test(name) ? here[Number(name)] : undefined
    else if (isJsonObject(here)) here = ownValue(here, name)
    else return undefined
  }
  return here
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : JSON.stringify(value, undefined, 2)
}
