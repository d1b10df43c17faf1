/** Owns random TypeScript types as text, of everything that can be read: what people write, and what they would rather not. */
import fc from 'fast-check'

const SCALARS = ['string', 'number', 'boolean', 'bigint', 'Date', 'URL', 'Uint8Array', 'null', "'a'", "'b c'", '1', '-2.5', 'true', '10n']
const NAMES = ['id', 'kind', 'at', "'x-y'", '__proto__', 'constructor', 'Ünï', '$ref', 'type']

/** Begins a place in a template literal type. */
const HOLE = '$'

const KEYS = ["'one'", "'two'", "'three'"]

export const typeTexts: fc.Arbitrary<string> = fc.letrec<{ type: string; member: string }>((tie) => ({
  member: fc
    .tuple(fc.constantFrom(...NAMES), fc.boolean(), tie('type'))
    .map(([name, optional, type]) => `${name}${optional ? '?' : ''}: ${type}`),
  type: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom(...SCALARS),
    tie('type').map((item) => `(${item})[]`),
    tie('type').map((item) => `ReadonlyArray<${item}>`),
    tie('type').map((item) => `Record<string, ${item}>`),
    tie('type').map((item) => `{ [name: string]: ${item} }`),
    tie('type').map((item) => `Map<string, ${item}>`),
    fc.tuple(fc.constantFrom(...KEYS), tie('type')).map(([key, item]) => `Record<${key} | 'four', ${item}>`),
    fc.constantFrom('Set<string>', 'Set<number>', 'ReadonlySet<bigint>', 'Map<number, boolean>'),
    fc.array(tie('type'), { minLength: 0, maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.tuple(tie('type'), tie('type')).map(([first, rest]) => `[${first}, ...(${rest})[]]`),
    fc
      .uniqueArray(tie('member'), { minLength: 1, maxLength: 4, selector: (member) => member.split(/[?:]/, 1)[0] })
      .map((members) => `{ ${members.join('; ')} }`),
    fc.array(tie('type'), { minLength: 2, maxLength: 3 }).map((types) => types.map((type) => `(${type})`).join(' | ')),
    fc.tuple(tie('type'), tie('type')).map(([one, other]) => `{ kind: 'one'; of: ${one} } | { kind: 'two'; of?: ${other} }`),
    tie('type').map((type) => `Partial<{ a: ${type}; b: ${type} }>`),
    tie('type').map((type) => `Pick<{ a: ${type}; b: number }, 'a'>`),
    tie('type').map((type) => `Box<${type}>`),
    tie('type').map((type) => `Tree<${type}>`),
    fc.constantFrom('keyof { a: 1; b: 2 }', `\`v${HOLE}{number}\``, `\`${HOLE}{'x' | 'y'}-${HOLE}{bigint}\``, 'Capitalize<string>'),
  ),
})).type

export const HELPERS = `interface Box<T> {
  value: T
  label?: string
}
interface Tree<T> {
  value: T
  kids: Tree<T>[]
}
`
