import { BoundedMap } from '../bounded-map.ts'

/**
 * What the name of an argument says about its value.
 * `noise`: made anew for each request, asks for nothing (`requestId`). `clock`: when the request was made (`timestamp`).
 * `thing`: which thing is meant (`path`, `orderId`). `range`: a time that is asked about (`since`).
 */
export type KeyKind = 'noise' | 'clock' | 'thing' | 'range' | 'plain'

const NOISE =
  /^(?:x?requestid|reqid|rid|nonce|traceid|traceparent|spanid|correlationid|idempotencykey|clientrequestid|invocationid|cachebuste?r?)$/
const CLOCK = /^(?:timestamp|ts|now|time|currenttime|clienttime|requesttime|requestedat|sentat|calledat)$/
const RANGE =
  /^(?:from|to|since|until|start|end|begin|before|after|due|deadline|time(?:min|max)|(?:from|to|start|end|begin|min|max|due|since|until)(?:date|time|at|ts|timestamp)|(?:created|updated|modified)(?:at|after|before|since))$/
const THING =
  /(?:ids?|uuid|guid|paths?|files?|filenames?|dir|directory|folder|uris?|urls?|href|link|sha|hash|commit|branch|digest|cursor|token|ref|names?|keys?|emails?|addresse?s?|hosts?|hostname|domain|ip|repo|repository|package|module|table|column|symbol|ticker|city|country|location|region|user|account|customer|order|item|product|resource|target|selector)$/

const known = new BoundedMap<string, KeyKind>(512)
const LONGEST_NAME = 64

/** Reads a name regardless of case and of `_` and `-`. The answers are remembered for the 512 names used last. */
export function keyKind(key: string): KeyKind {
  if (key.length > LONGEST_NAME) return 'plain'
  const before = known.get(key)
  if (before !== undefined) return before
  const plain = key.toLowerCase().replace(/[_\-.\s]/g, '')
  const kind = NOISE.test(plain)
    ? 'noise'
    : CLOCK.test(plain)
      ? 'clock'
      : RANGE.test(plain)
        ? 'range'
        : THING.test(plain)
          ? 'thing'
          : 'plain'
  known.set(key, kind)
  return kind
}

const DAY_MS = 86_400_000
const MOMENT_MS = 120_000
const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)? ?(?:Z|[+-]\d\d:?\d\d)?$/i
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const DIGITS = /^\d+$/
const HEX = /^(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]+$/i
const BASE64 = /^[A-Za-z0-9+_-]+={0,2}$/

/** Whether a value is a moment written out (`2026-11-30T15:00:00Z`), or an epoch within a day of `now`. */
export function isTime(value: string | number, now: number): boolean {
  if (typeof value === 'number') return isEpoch(value, now, DAY_MS)
  if (value.length === 10 || value.length === 13) return DIGITS.test(value) && isEpoch(Number(value), now, DAY_MS)
  return value.length >= 16 && value.length <= 36 && value.charCodeAt(4) === 45 && ISO.test(value)
}

/** Whether a value is a time within two minutes of `now`. */
export function isThisMoment(value: string | number, now: number): boolean {
  if (!isTime(value, now)) return false
  const number = typeof value === 'number' ? value : DIGITS.test(value) ? Number(value) : Date.parse(value)
  return isEpoch(number, now, MOMENT_MS)
}

function isEpoch(value: number, now: number, within: number): boolean {
  return Math.abs(value - now) <= within || Math.abs(value * 1_000 - now) <= within
}

/** Whether a text looks drawn at random: a UUID, a ULID, 24 or more hex digits, 20 or more letters and digits in no order of words. */
export function isRandom(value: string): boolean {
  const length = value.length
  if (length < 20 || length > 128) return false
  if (length === 36 && value.charCodeAt(8) === 45 && UUID.test(value)) return true
  if (length === 26 && ULID.test(value)) return true
  if (length >= 24 && HEX.test(value)) return true
  return BASE64.test(value) && isMixed(value)
}

/** Random letters and digits change their kind at two of three places, words at one of four or less. */
function isMixed(text: string): boolean {
  let changes = 0
  let before = 0
  let kinds = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const kind = unit >= 97 ? 1 : unit >= 65 ? 2 : unit >= 48 && unit <= 57 ? 4 : 8
    if (kind !== before && at > 0) changes++
    kinds |= kind
    before = kind
  }
  return (kinds & 7) === 7 && changes >= text.length * 0.45
}
