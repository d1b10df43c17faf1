/** Functions of values that JSON has no form for. Each uses what only the real value has. */

/** Takes a moment. */
export function takeDate(at: Date): { at: Date } {
  return { at: new Date(at.getTime()) }
}

/** Takes a moment that may be left out. */
export function takeMaybeDate(name: string, at?: Date): { name: string; at: Date | undefined } {
  return { name, at: at === undefined ? undefined : new Date(at.getTime()) }
}

/** Takes a moment or nothing. */
export function takeDateOrNull(at: Date | null): { at: Date | null } {
  return { at: at === null ? null : new Date(at.getTime()) }
}

/** Takes a moment or a word. */
export function takeDateOrWord(at: Date | 'now' | 'never'): { at: Date | string } {
  return { at: typeof at === 'string' ? at : new Date(at.getTime()) }
}

/** Takes a number of any size. */
export function takeBigint(value: bigint): { value: bigint } {
  return { value: value + 0n }
}

/** Takes a large number with a default. */
export function takeBigDefault(value = 10n): { value: bigint } {
  return { value: value + 0n }
}

/** Takes numbers of both kinds. */
export function takeNumbers(value: bigint | number): { value: bigint | number } {
  return { value: typeof value === 'bigint' ? value + 0n : value }
}

/** Takes bytes. */
export function takeBytes(bytes: Uint8Array): { bytes: Uint8Array } {
  return { bytes: bytes.slice() }
}

/** Takes a buffer. */
export function takeBuffer(bytes: Buffer): { bytes: Buffer } {
  return { bytes: Buffer.concat([bytes]) }
}

/** Takes an address. */
export function takeUrl(url: URL): { url: URL } {
  return { url: new URL(url.href) }
}

/** Takes moments in a list. */
export function takeDates(dates: readonly Date[]): { dates: Date[] } {
  return { dates: dates.map((date) => new Date(date.getTime())) }
}

/** Takes a span. */
export function takeSpan(span: [from: Date, to: Date]): { span: [Date, Date] } {
  return { span: [new Date(span[0].getTime()), new Date(span[1].getTime())] }
}

/** Takes a map. */
export function takeMap(map: Map<string, number>): { map: Map<string, number> } {
  return { map: new Map(map.entries()) }
}

/** Takes a map by numbers. */
export function takeNumberMap(map: ReadonlyMap<number, string>): { map: ReadonlyMap<number, string> } {
  return { map: new Map([...map].map(([key, value]) => [key + 0, value])) }
}

/** Takes a map of moments. */
export function takeDateMap(map: Map<string, Date>): { map: Map<string, Date> } {
  return { map: new Map([...map].map(([key, value]) => [key, new Date(value.getTime())])) }
}

/** Takes a set of large numbers. */
export function takeBigSet(set: Set<bigint>): { set: Set<bigint> } {
  return { set: new Set([...set].map((value) => value + 0n)) }
}

/** Takes a meeting. */
export interface Meeting {
  title: string
  at: Date
  /** Who comes. */
  guests: { name: string; since?: Date }[]
  room: { number: bigint; plan?: Uint8Array }
}
/** Plans a meeting. */
export function planMeeting(meeting: Meeting): Meeting {
  meeting.at.getTime()
  for (const guest of meeting.guests) guest.since?.getTime()
  return { ...meeting, room: { ...meeting.room, number: meeting.room.number + 0n } }
}

type Trigger = { type: 'at'; at: Date } | { type: 'every'; days: bigint } | { type: 'hand' }

/** Sets a trigger. */
export function setTrigger(trigger: Trigger): { trigger: Trigger } {
  if (trigger.type === 'at') trigger.at.getTime()
  return { trigger: trigger.type === 'every' ? { ...trigger, days: trigger.days + 0n } : trigger }
}

/** Takes moments by name. */
export function takeDateRecord(times: Record<string, Date>): { times: Record<string, Date> } {
  return { times: Object.fromEntries(Object.entries(times).map(([key, at]) => [key, new Date(at.getTime())])) }
}

/** Takes one or many moments. */
export function takeOneOrManyDates(at: Date | Date[]): { at: Date | Date[] } {
  return { at: Array.isArray(at) ? at.map((one) => new Date(one.getTime())) : new Date(at.getTime()) }
}

/** Takes objects told apart by their members. */
export function takeDateOrCount(value: { at: Date } | { count: bigint }): { value: { at: Date } | { count: bigint } } {
  return { value: 'at' in value ? { at: new Date(value.at.getTime()) } : { count: value.count + 0n } }
}
