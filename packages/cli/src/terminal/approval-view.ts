/**
 * What a person is shown before they approve a call: made once, drawn by whichever terminal there is. All text in it is printable:
 * control characters of arguments are shown, never obeyed. What is too long to show is counted, never silently left out.
 */
import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ApprovalRequest, type Effect, isJsonObject, type JsonObject, type JsonValue, ownValue } from '@adjutant/core'
import { isInside } from '../config/sessions-folder.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'
import { printableLine, printableLines } from './printable.ts'

interface ArgumentView {
  readonly name: string
  /** Printable lines. */
  readonly lines: readonly string[]
}

export interface ApprovalView {
  readonly tool: string
  readonly effect: Effect
  /** e.g. `built-in`, `mcp: files`. */
  readonly origin: string
  readonly reason: string
  readonly arguments: readonly ArgumentView[]
  /** What a write or an edit would change. Its arguments are not listed again. */
  readonly preview?: { readonly title: string; readonly lines: readonly DiffLine[] }
  /** What tolerant conversion made of the arguments the model sent. */
  readonly conversions: readonly string[]
}

/** Of the present content of a file; a larger one is shown as all new. */
const MAX_FILE_BYTES = 512 * 1024

/** Names that tools use for the parts of an edit. Only for showing: what runs does not depend on it. */
const OLD = ['old_text', 'oldText', 'old_string', 'old_str', 'find']
const NEW = ['new_text', 'newText', 'new_string', 'new_str', 'replacement']
const CONTENT = ['content', 'contents', 'text']

function firstText(input: JsonObject, names: readonly string[]): { readonly name: string; readonly text: string } | undefined {
  for (const name of names) {
    const value = ownValue(input, name)
    if (typeof value === 'string') return { name, text: value }
  }
  return undefined
}

interface Change {
  readonly used: readonly string[]
  readonly lines: readonly DiffLine[]
}

function editOf(input: JsonObject): Change | undefined {
  const before = firstText(input, OLD)
  const after = firstText(input, NEW)
  return before === undefined || after === undefined
    ? undefined
    : { used: [before.name, after.name], lines: diffLines(before.text, after.text) }
}

function changeOf(input: JsonObject, current: string | undefined): Change | undefined {
  const single = editOf(input)
  if (single !== undefined) return single
  const edits = ownValue(input, 'edits')
  if (Array.isArray(edits) && edits.length > 0) {
    const each = edits.map((edit: JsonValue) => (isJsonObject(edit) ? editOf(edit) : undefined))
    if (each.every((edit) => edit !== undefined)) return { used: ['edits'], lines: each.flatMap((edit) => edit.lines) }
  }
  const content = firstText(input, CONTENT)
  if (content === undefined || typeof ownValue(input, 'path') !== 'string') return undefined
  const lines = diffLines(current ?? '', content.text)
  return { used: [content.name], lines: lines.length === 0 ? [{ sign: ' ', text: '(the same as it is now)' }] : lines }
}

/** The file as it is now, where the path is one of this workspace; only for showing the difference. */
async function currentText(workspace: string, path: JsonValue | undefined): Promise<string | undefined> {
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  try {
    // Links resolved: what is shown must not come from outside either.
    const [root, real] = await Promise.all([realpath(workspace), realpath(resolve(workspace, path))])
    if (!isInside(real, root)) return undefined
    await using file = await open(real, 'r')
    const { size } = await file.stat()
    return size > MAX_FILE_BYTES ? undefined : await file.readFile('utf8')
  } catch {
    return undefined
  }
}

function argumentLines(value: JsonValue): readonly string[] {
  return printableLines(typeof value === 'string' ? value : JSON.stringify(value, undefined, isFlat(value) ? undefined : 2)).split('\n')
}

function isFlat(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null || JSON.stringify(value).length <= 60
}

/** @param workspace absolute; where the built-in file tools work */
export async function approvalView(request: ApprovalRequest, workspace: string): Promise<ApprovalView> {
  const { tool, input, effect, conversions } = request.call
  const current = tool.origin.kind === 'built-in' ? await currentText(workspace, ownValue(input, 'path')) : undefined
  const change = effect === 'read' ? undefined : changeOf(input, current)
  const path = ownValue(input, 'path')
  const args = Object.entries(input)
    .filter(([name]) => change === undefined || !(name === 'path' || change.used.includes(name)))
    .map(([name, value]): ArgumentView => ({ name: printableLine(name), lines: argumentLines(value) }))
  return {
    tool: printableLine(tool.name),
    effect,
    origin: printableLine(tool.origin.kind === 'built-in' ? 'built-in' : `${tool.origin.kind}: ${tool.origin.from}`),
    // The effect is told beside the name already.
    reason: request.reason === `${tool.name} changes something` ? '' : printableLine(request.reason),
    arguments: args,
    ...(change === undefined
      ? {}
      : {
          preview: {
            title: printableLine(typeof path === 'string' ? path : 'change'),
            lines: change.lines.map((line) => ({ sign: line.sign, text: printableLine(line.text.replaceAll('\t', '  ')) })),
          },
        }),
    conversions: conversions.map((made) => printableLine(`${made.path}: ${made.from} → ${made.to} (${made.rule})`)),
  }
}

/** The first `limit` of `lines`, and how many are left out. */
export function firstLines<T>(lines: readonly T[], limit: number): { readonly shown: readonly T[]; readonly hidden: number } {
  // One line more than allowed is shown rather than counted.
  if (lines.length <= limit + 1) return { shown: lines, hidden: 0 }
  return { shown: lines.slice(0, limit), hidden: lines.length - limit }
}
