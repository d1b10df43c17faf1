/**
 * Owns how a notification reads as an e-mail: plain text, nothing of which can move a cursor, turn the direction of writing or begin a new header, whatever
 * a tool, a rule or an argument is called.
 */
import type { Notification } from './notification.ts'

export interface EmailText {
  readonly subject: string
  readonly text: string
}

const SUBJECT_CHARS = 120
/** Control characters, signs that turn the direction, separators of lines, and halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

export function emailText({ type, data, sessionId, tenantId, timestamp }: Notification, link: string | undefined): EmailText {
  const said = (name: string): string => word(data[name])
  const rows: (readonly [string, string])[] = [
    ['Tool', [said('tool'), word(data.effect, '(', ')')].filter((part) => part !== '').join(' ')],
    ['Kind', said('kind')],
    ['State', said('state')],
    ['By', said('decidedBy')],
    ['Why', said('reason')],
    ['Rule', said('rule')],
    ['Code', said('code')],
    ['Until', said('expiresAt')],
    ['Session', word(sessionId)],
    ['Approval', said('approvalId')],
    ['Job', said('jobId')],
    ['Tenant', word(tenantId)],
    ['Time', word(timestamp)],
  ]
  const { headline, command } = headlineOf(type, said)
  const lines = [`${headline}.`, '', ...rows.filter(([, value]) => value !== '').map(([name, value]) => `${`${name}:`.padEnd(10)}${value}`)]
  if (data.arguments !== undefined) {
    lines.push('', 'Arguments (secrets are taken out):', ...JSON.stringify(data.arguments, null, 2).split('\n').map(printable))
  }
  if (data.argumentsLeftOut === true) lines.push('', 'Its arguments are too long for a letter: look at them before you decide.')
  lines.push('', ...(link === undefined ? [] : [`Look at it: ${link}`]), `In a terminal: ${command}`, '')
  return { subject: cut(headline), text: lines.join('\n') }
}

function headlineOf(type: Notification['type'], said: (name: string) => string): { readonly headline: string; readonly command: string } {
  const approval = `adjutant approvals show ${said('approvalId')}`
  switch (type) {
    case 'approval.waiting':
      return { headline: `${said('tool')} waits for a person`, command: approval }
    case 'approval.decided':
      return { headline: `${said('tool')} is ${said('state')}`, command: approval }
    case 'approval.expired':
      return { headline: `${said('tool')} was not decided in time`, command: approval }
    case 'job.ended':
      return { headline: `The job ${said('tool') || said('kind')} is ${said('state')}`, command: `adjutant jobs show ${said('jobId')}` }
    default:
      return type satisfies never
  }
}

function word(value: unknown, before = '', behind = ''): string {
  return typeof value === 'string' ? `${before}${printable(value)}${behind}` : ''
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function cut(text: string): string {
  return text.length <= SUBJECT_CHARS ? text : `${text.slice(0, SUBJECT_CHARS - 1).toWellFormed()}…`
}
