/** Functions of types that the compiler computes. */

interface User {
  /** Who it is. */
  id: number
  name: string
  mail?: string
  admin: boolean
}

/** Takes some members. */
export function pickUser(user: Pick<User, 'id' | 'name'>): { id: number; name: string } {
  return { ...user }
}

/** Takes all but some. */
export function omitUser(user: Omit<User, 'admin'>): Omit<User, 'admin'> {
  return { ...user }
}

/** Changes a user. */
export function changeUser(id: number, change: Partial<User>): { id: number; change: Partial<User> } {
  return { id, change }
}

/** Takes all members. */
export function takeRequired(user: Required<User>): Required<User> {
  return { ...user }
}

/** Takes what nobody changes. */
export function takeReadonly(user: Readonly<User>): Readonly<User> {
  return { ...user }
}

type Flags<T> = { [K in keyof T]?: boolean }

/** Takes a flag for each member. */
export function takeFlags(flags: Flags<User>): Flags<User> {
  return { ...flags }
}

type Prefixed<T> = { [K in keyof T & string as `new_${K}`]: T[K] }

/** Takes renamed members. */
export function takePrefixed(value: Prefixed<Pick<User, 'id' | 'admin'>>): { new_id: number; new_admin: boolean } {
  return { ...value }
}

interface Box<T> {
  value: T
  label?: string
}

/** Takes a box of a number. */
export function takeNumberBox(box: Box<number>): Box<number> {
  return { ...box }
}

/** Takes boxes in a box. */
export function takeBoxes(box: Box<Box<string>[]>): Box<Box<string>[]> {
  return { ...box }
}

type Result<T> = { ok: true; value: T } | { ok: false; reason: string }

/** Takes a result. */
export function takeResult(result: Result<number>): { result: Result<number> } {
  return { result }
}

/** Takes a member's type. */
export function takeMember(name: User['name'], id: User['id']): { name: string; id: number } {
  return { name, id }
}

type Simple<T> = T extends string ? { text: T } : T extends number ? { number: T } : never

/** Takes what a condition makes. */
export function takeConditional(value: Simple<string>): { text: string } {
  return { ...value }
}

/** Takes what is not null. */
export function takeNonNullable(value: NonNullable<string | null | undefined>): { value: string } {
  return { value }
}

/** Takes the parameters of another function. */
export function takeParameters(pair: Parameters<(a: string, b: number) => void>): { pair: [string, number] } {
  return { pair }
}

/** Takes a bounded type parameter. */
export function takeBoundedType<T extends { id: number }>(value: T): { value: T } {
  return { value }
}

/** Takes a part of all the way down. */
export function takeDeepPartial(
  value: DeepPartial<{ a: { b: number; c: string }; d: boolean }>,
): DeepPartial<{ a: { b: number; c: string }; d: boolean }> {
  return { ...value }
}

type DeepPartial<T> = { [K in keyof T]?: T[K] extends object ? DeepPartial<T[K]> : T[K] }

/** Takes an awaited type. */
export function takeAwaited(value: Awaited<Promise<{ done: boolean }>>): { done: boolean } {
  return { ...value }
}

/** Takes a record of a generic. */
export function takeBoxRecord(boxes: Record<string, Box<boolean>>): { boxes: Record<string, Box<boolean>> } {
  return { boxes }
}
