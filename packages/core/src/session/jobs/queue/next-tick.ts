import { Cron } from 'croner'
import { AdjutantError } from '../../../contract/errors.ts'

/** Of minutes to week days, or of seconds to week days; no nicknames and no single dates. */
const FIELDS = /^\S{1,200}(?: +\S{1,200}){4,5}$/

/**
 * The first moment after `after` that a schedule names, in milliseconds since 1970; undefined when there is none within the years that are looked at.
 *
 * Where clocks are put forward, a time that does not exist is at the end of the gap; where they are put back, a fixed time is at the first of the two
 * and not at the second. Steps of minutes and hours go by elapsed time through both.
 *
 * @param cron five fields (minute, hour, day, month, week day) or six (second before them)
 * @param zone IANA name
 * @throws AdjutantError USAGE when one of them is none
 */
export function nextTick(cron: string, zone: string, after: number): number | undefined {
  if (typeof cron !== 'string' || !FIELDS.test(cron.trim())) {
    throw new AdjutantError('USAGE', `not a schedule: ${JSON.stringify(String(cron).slice(0, 80))}`, {
      hint: 'Give five fields (minute hour day month weekday) or six (second first), e.g. "30 2 * * *".',
    })
  }
  checkZone(zone)
  try {
    return new Cron(cron.trim(), { timezone: zone, paused: true }).nextRun(new Date(after))?.getTime()
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new AdjutantError('USAGE', `not a schedule: ${JSON.stringify(cron.slice(0, 80))}: ${said}`, {
      cause,
      hint: 'Give five fields (minute hour day month weekday) or six (second first), e.g. "30 2 * * *".',
    })
  }
}

function checkZone(zone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch (cause) {
    throw new AdjutantError('USAGE', `not a time zone: ${JSON.stringify(String(zone).slice(0, 80))}`, {
      cause,
      hint: 'Give an IANA name, e.g. Europe/Berlin.',
    })
  }
}

/** Of a schedule whose tick at `due` was not made yet: the newest tick up to `now`, which stands for all that were missed, and the one that follows. */
export function catchUp(
  cron: string,
  zone: string,
  due: number,
  now: number,
): { readonly last: number; readonly next: number | undefined } {
  const [newest] = new Cron(cron.trim(), { timezone: zone, paused: true }).previousRuns(1, new Date(now + 1))
  return { last: Math.max(due, newest?.getTime() ?? due), next: nextTick(cron, zone, now) }
}
