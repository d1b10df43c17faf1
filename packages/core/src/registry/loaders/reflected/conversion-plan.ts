import type { JsonValue } from '../../../contract/index.ts'

/** How a JSON value becomes the value that a typed function takes. What needs no change has no plan. */
export type ConversionPlan =
  /** ISO 8601 text → Date, digits → bigint, base64 → Uint8Array or Buffer, address → URL. */
  | { readonly as: 'date' | 'bigint' | 'bytes' | 'buffer' | 'url' }
  | { readonly as: 'set'; readonly items?: ConversionPlan }
  /** An object → Map. `keys`: what its names stand for; default: text. */
  | { readonly as: 'map'; readonly keys?: 'number' | 'bigint'; readonly values?: ConversionPlan }
  /** `first`: plans by position; `null` for an item that stays as it is. `items`: for all after them. */
  | { readonly as: 'list'; readonly first?: readonly (ConversionPlan | null)[]; readonly items?: ConversionPlan }
  /** `others`: for properties that are not named. */
  | { readonly as: 'object'; readonly properties?: Readonly<Record<string, ConversionPlan>>; readonly others?: ConversionPlan }
  /** The first branch that the value passes; a value that passes none stays as it is. */
  | { readonly as: 'choice'; readonly branches: readonly PlanBranch[] }
  | { readonly as: 'defined'; readonly name: string }

export interface PlanBranch {
  readonly when: PlanTest
  /** `null`: stays as it is. */
  readonly plan: ConversionPlan | null
}

/** All that is given must hold. */
export interface PlanTest {
  readonly type: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'
  /** Text that looks like a date and time, or like a whole number. */
  readonly form?: 'date' | 'digits'
  /** Text that is one of these. */
  readonly equals?: readonly string[]
  /** Properties that are there with one of these values. */
  readonly values?: Readonly<Record<string, readonly JsonValue[]>>
  /** Properties that are there. */
  readonly required?: readonly string[]
  /** No other properties than these are there. */
  readonly known?: readonly string[]
}

/** Text that stands for a moment: an ISO 8601 date, or date and time. */
export const DATE_FORM = /^[+-]?\d{4,6}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?$/
/** Text that is a whole number as it is written: `007` in a place for numbers or texts is a text. */
export const DIGITS_FORM = /^(?:0|-?[1-9]\d*)$/
