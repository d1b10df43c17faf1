import type { StepRecord, ToolCall } from '@adjutant/core'
import { shorten } from '../terminal/printable.ts'

const WIDE = 160

/** One line of a session's history, for people; nothing for what says nothing to them. */
export function stepLine(step: StepRecord): string | undefined {
  switch (step.type) {
    case 'user':
      return `task      ${shorten(step.text, WIDE)}`
    case 'model':
      return `model     ${[shorten(step.text, WIDE), ...step.calls.map(shownCall)].filter((part) => part !== '').join('  ')}`
    case 'batch':
      return `calls     ${step.calls.map(shownCall).join('  ')}`
    case 'started':
      return `started   ${step.name} (${step.id}), ${step.effect}`
    case 'call':
      return `${step.result.outcome.padEnd(9)} ${step.call.name} (${step.call.id})  ${shorten(step.result.text.replace(/\s+/g, ' '), WIDE)}`
    case 'asked':
      return `asked     ${step.approval.tool} (${step.approval.callId}): ${step.approval.reason}  ${step.approval.id}`
    case 'answered':
      return `answered  ${step.approvalId}: ${step.decision === undefined ? 'nobody, in time' : `${step.decision.type} by ${step.by ?? 'a person'}`}`
    case 'queued':
      return `queued    ${step.name} (${step.id}) as job ${step.jobId}`
    case 'job':
      return `job       ${step.jobId}: ${step.result.outcome}  ${shorten(step.result.text.replace(/\s+/g, ' '), WIDE)}`
    case 'tools':
      return undefined
    case 'paused':
      return `paused    waits for ${step.waiting.join(', ')}`
    case 'resumed':
      return `resumed   by ${step.node}`
    case 'answer':
      return `answer    ${shorten(step.text, WIDE)}${step.reason === 'answer' ? '' : ` (${step.reason})`}`
    default:
      return step satisfies never
  }
}

function shownCall({ name, arguments: given }: ToolCall): string {
  return `${name} ${shorten(given.ok ? JSON.stringify(given.value) : given.raw, WIDE)}`
}
