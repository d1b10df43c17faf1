/** The words of JSON Schema that a doc comment may use, with what kind of value each takes and to which types it applies. */

export interface ConstraintRule {
  readonly value: 'number' | 'count' | 'text' | 'pattern' | 'flag' | 'json'
  /** JSON types that it says something of; empty for all. */
  readonly types: readonly string[]
}

const NUMBERS = ['number', 'integer']

export const CONSTRAINTS: ReadonlyMap<string, ConstraintRule> = new Map<string, ConstraintRule>([
  ['minimum', { value: 'number', types: NUMBERS }],
  ['maximum', { value: 'number', types: NUMBERS }],
  ['exclusiveMinimum', { value: 'number', types: NUMBERS }],
  ['exclusiveMaximum', { value: 'number', types: NUMBERS }],
  ['multipleOf', { value: 'number', types: NUMBERS }],
  ['integer', { value: 'flag', types: NUMBERS }],
  ['minLength', { value: 'count', types: ['string'] }],
  ['maxLength', { value: 'count', types: ['string'] }],
  ['pattern', { value: 'pattern', types: ['string'] }],
  ['format', { value: 'text', types: ['string'] }],
  ['minItems', { value: 'count', types: ['array'] }],
  ['maxItems', { value: 'count', types: ['array'] }],
  ['uniqueItems', { value: 'flag', types: ['array'] }],
  ['minProperties', { value: 'count', types: ['object'] }],
  ['maxProperties', { value: 'count', types: ['object'] }],
  ['title', { value: 'text', types: [] }],
  ['deprecated', { value: 'flag', types: [] }],
  ['examples', { value: 'json', types: [] }],
])
