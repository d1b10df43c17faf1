/**
 * What a person is shown before they approve a call: made once, drawn by whichever terminal there is. All text in it is printable:
 * control characters of arguments, names, paths, rules and reasons are shown, never obeyed. What is too long to show is counted, never
 * silently left out.
 */
import { type AdmittedCall, type ApprovalRequest, type Effect, ownValue } from '@adjutant/core'
import { type ArgumentView, argumentViews } from './argument-views.ts'
import { changeOf, currentText } from './change-preview.ts'
import type { DiffLine } from './diff-lines.ts'
import { printableArgument, shorten } from './printable.ts'
import { type PolicyPlaces, type SaveChoice, saveChoices } from './save-choices.ts'

export interface ApprovalView {
  readonly tool: string
  readonly effect: Effect
  /** e.g. `built-in`, `mcp: files`. */
  readonly origin: string
  /** Why a person is asked. */
  readonly reason: string
  /** The rule that asks, e.g. `project/no-production`. */
  readonly rule?: string
  readonly arguments: readonly ArgumentView[]
  /** What a write or an edit would change. Its arguments are not listed again. */
  readonly preview?: { readonly title: string; readonly lines: readonly DiffLine[] }
  /** What was made of the arguments that the model sent: repairs of what was no JSON, and tolerant conversions. */
  readonly changes: readonly string[]
  /** Other calls that get the same answer, save an edit. */
  readonly identical: number
  /** How many other calls of the same tool and effect wait, as `matching` would let them run. */
  readonly others: number
  /** Each of them. Made when somebody looks: a thousand may wait, and each may hold a command to be read. */
  matching(): readonly MatchView[]
  /** Answers for always, where there is a place for them. */
  readonly saves: readonly SaveChoice[]
}

export interface MatchView {
  readonly id: string
  /** It has the very same arguments. */
  readonly identical: boolean
  readonly arguments: readonly ArgumentView[]
  readonly changes: readonly string[]
}

/** Of one change that was made to arguments: the arguments as they are now are shown anyway. */
const CHANGE_CHARS = 300

/** @param places where the built-in file tools work, and where policies lie */
export async function approvalView(request: ApprovalRequest, places: PolicyPlaces): Promise<ApprovalView> {
  const { identical = [], matching = [], decision, shown } = request
  // Without its secrets: a screen is recorded and looked at over shoulders.
  const call = shown === undefined ? request.call : { ...request.call, input: shown }
  const { tool, input, effect } = call
  const current = tool.origin.kind === 'built-in' ? await currentText(places.workspace, ownValue(input, 'path')) : undefined
  const change = effect === 'read' ? undefined : changeOf(input, current)
  const path = ownValue(input, 'path')
  const titled = change !== undefined && typeof path === 'string'
  const same = new Set<string>(identical)
  let matches: readonly MatchView[] | undefined
  return {
    tool: printableArgument(tool.name),
    effect,
    origin: printableArgument(tool.origin.kind === 'built-in' ? 'built-in' : `${tool.origin.kind}: ${tool.origin.from}`),
    // The effect is told beside the name already.
    reason: request.reason === `${tool.name} changes something` ? '' : printableArgument(request.reason),
    ...(decision === undefined ? {} : { rule: printableArgument(decision.rule) }),
    arguments: argumentViews(call, new Set([...(change?.used ?? []), ...(titled ? ['path'] : [])])),
    ...(change === undefined
      ? {}
      : {
          preview: {
            title: titled ? printableArgument(path) : 'change',
            lines: change.lines.map((line) => ({ sign: line.sign, text: printableArgument(line.text) })),
          },
        }),
    changes: changesOf(call),
    identical: identical.length,
    others: matching.length,
    matching() {
      matches ??= matching.map((other) => ({
        id: printableArgument(other.call.id),
        identical: same.has(other.call.id),
        arguments: argumentViews(other),
        changes: changesOf(other),
      }))
      return matches
    },
    saves: saveChoices(request, places),
  }
}

function changesOf({ call, conversions }: AdmittedCall): readonly string[] {
  const repairs = call.arguments.ok ? (call.arguments.repairs ?? []) : []
  return [
    ...repairs.map(({ note }) => `repaired: ${note}`),
    ...conversions.map((made) => `converted ${made.path}: ${made.from} → ${made.to} (${made.rule})`),
  ].map((change) => shorten(printableArgument(change.slice(0, CHANGE_CHARS * 2)), CHANGE_CHARS))
}
