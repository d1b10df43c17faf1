/** Owns one attempt to tell one address by e-mail, over one connection to the server that the settings name. */
import type { Clock } from '@adjutant/core/contract'
import { createTransport } from 'nodemailer'
import { DeliveryFailure } from './delivery-failure.ts'
import { emailText } from './email-text.ts'
import type { Notification } from './notification.ts'
import type { NotifyTarget, SmtpSettings } from './notify-target.ts'

type Email = Extract<NotifyTarget, { kind: 'email' }>['email']

export interface SendEmailOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly link?: string
}

/** Of one step of the conversation; the attempt as a whole is the courier's to end. */
const STEP_MS = 15_000

/** @throws DeliveryFailure */
export async function sendEmail(
  notification: Notification,
  { smtp, from, to }: Email,
  { clock, signal, link }: SendEmailOptions,
): Promise<void> {
  const transport = createTransport(connection(smtp))
  const { subject, text } = emailText(notification, link)
  try {
    await transport.sendMail({
      from,
      to,
      subject,
      text,
      date: new Date(clock.now()),
      // The same in each attempt: most mailboxes show what they get twice once.
      messageId: `<${notification.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    })
  } catch (error) {
    throw signal.aborted ? stopped(signal) : failureOf(error)
  } finally {
    transport.close()
  }
}

function connection({ host, port, tls = 'starttls', user, password, ca }: SmtpSettings) {
  return {
    host,
    port: port ?? (tls === 'implicit' ? 465 : 587),
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'off',
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    tls: { minVersion: 'TLSv1.2' as const, ...(ca === undefined ? {} : { ca }) },
  }
}

function stopped(signal: AbortSignal): DeliveryFailure {
  return signal.reason instanceof DeliveryFailure ? signal.reason : new DeliveryFailure('it was stopped', { cause: signal.reason })
}

/** Codes only: what a server says may hold addresses, and what of a letter it did not like. */
function failureOf(error: unknown): DeliveryFailure {
  const code = member(error, 'code')
  const response = member(error, 'responseCode')
  const reply = typeof response === 'number' ? response : undefined
  const said = [reply, code].filter((part) => typeof part === 'number' || typeof part === 'string').join(' ')
  // A refused address or letter stays refused; a refused password may be put right meanwhile.
  const final = reply !== undefined && reply >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  return new DeliveryFailure(`${final ? 'the mail server refuses it' : 'the mail server did not take it'} (${said || 'no reason given'})`, {
    final,
    cause: error,
  })
}

function member(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
}
