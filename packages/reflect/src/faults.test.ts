import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sourceFolder } from '../test/source-folder.ts'
import { reflectTools } from './index.ts'

/** One sound function, so that a fault is seen to take nothing else down. */
const SOUND = '\n/** Sound. */\nexport function sound(a: number): number {\n  return a\n}\n'

interface Said {
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly names: readonly string[]
}

async function reflected(source: string, name = 'tool.ts'): Promise<Said> {
  await using folder = await sourceFolder({ [name]: source + SOUND })
  const { problems, warnings, tools } = await reflectTools([join(folder.path, name)], { cacheFolder: false })
  const short = ({ message }: { readonly message: string }): string => message.replaceAll(`${folder.path}/`, '')
  return { problems: problems.map(short), warnings: warnings.map(short), names: tools.map((tool) => tool.name) }
}

const FAULTS: readonly (readonly [title: string, source: string, said: string])[] = [
  [
    'a function',
    '/** D. */\nexport function f(a: number, done: (error: Error) => void) {}',
    'tool.ts:2:30: f: done is of type (error: Error) => void, a function',
  ],
  [
    'a function deep inside',
    'interface Options {\n  hooks: { before?: () => void }[]\n}\n/** D. */\nexport function f(options: Options) {}',
    'tool.ts:2:12: f: options.hooks[].before is of type () => void, a function',
  ],
  [
    'a class with methods',
    'class Account {\n  id = 1\n  close() {}\n}\n/** D. */\nexport function f(account: Account) {}',
    'tool.ts:6:19: f: account is of type Account, a class with methods (close)',
  ],
  [
    'a class with private members',
    'class Account {\n  id = 1\n  private secret = 2\n}\n/** D. */\nexport function f(account: Account) {}',
    'tool.ts:3:3: f: account is of type Account, a class with private members',
  ],
  [
    'a class itself',
    '/** D. */\nexport function f(kind: new () => object) {}',
    'tool.ts:2:19: f: kind is of type new () => object, a class',
  ],
  [
    'what can be gone through',
    '/** D. */\nexport function f(items: Iterable<string>) {}',
    'tool.ts:2:19: f: items is of type Iterable<string>, an object with methods ([Symbol.iterator])',
  ],
  ['a symbol', '/** D. */\nexport function f(key: symbol) {}', 'tool.ts:2:19: f: key is of type symbol, which is a symbol'],
  [
    'a promise',
    '/** D. */\nexport function f(value: Promise<string>) {}',
    'tool.ts:2:19: f: value is of type Promise<string>, an object with methods (then)',
  ],
  ['an expression', '/** D. */\nexport function f(re: RegExp) {}', 'tool.ts:2:19: f: re is of type RegExp, an object with methods (exec)'],
  [
    'a map by objects',
    '/** D. */\nexport function f(map: Map<{ id: number }, string>) {}',
    'tool.ts:2:19: f: map is a map by keys of type { id: number; }, which are no names in JSON',
  ],
  [
    'bytes or text',
    '/** D. */\nexport function f(data: Uint8Array | string) {}',
    'tool.ts:2:19: f: data is Uint8Array<ArrayBufferLike> or string, which JSON cannot tell apart',
  ],
  [
    'lists that are converted differently',
    '/** D. */\nexport function f(data: Date[] | bigint[]) {}',
    'tool.ts:2:19: f: data is Date[] or bigint[]: lists that JSON cannot tell apart',
  ],
  [
    'a type that is not there',
    '/** D. */\nexport function f(a: Missing) {}',
    'tool.ts:2:19: f: the type Missing of a could not be resolved',
  ],
  ['no type', '/** D. */\nexport function f(a) {}', 'tool.ts:2:19: f: the parameter a has no type'],
  [
    'a type without end',
    'type Grow<T> = { next: Grow<T[]> }\n/** D. */\nexport function f(a: Grow<string>) {}',
    'tool.ts:1:18: f: the type of a goes on for ever, or is nested deeper than 60',
  ],
  [
    'a property that cannot be',
    '/** D. */\nexport function f(a: { b: never }) {}',
    'tool.ts:2:24: f: a.b is of type never: there is no value for it',
  ],
  [
    'a parameter that cannot be',
    '/** D. */\nexport function f(a: never) {}',
    'tool.ts:2:19: f: a is of type never: there is no value for it',
  ],
  [
    'a tuple with a rest in its middle',
    '/** D. */\nexport function f(a: [string, ...number[], boolean]) {}',
    'tool.ts:2:19: f: a is a tuple with a rest that is not its end',
  ],
  [
    'a constraint without a value',
    '/**\n * D.\n * @param a the a @minimum low\n */\nexport function f(a: number) {}',
    'tool.ts:3:19: f: @minimum "low", where a number is wanted',
  ],
  [
    'a pattern that is none',
    '/**\n * D.\n * @param a the a\n * @pattern (\n */\nexport function f(a: string) {}',
    'tool.ts:4:4: f: @pattern "(", where a regular expression is wanted',
  ],
  [
    'markers that contradict each other',
    '/**\n * D.\n * @readonly\n * @dangerous\n */\nexport function f(a: string) {}',
    'tool.ts:4:4: f: @dangerous and @readonly contradict each other',
  ],
  [
    'a time that is none',
    '/**\n * D.\n * @timeout soon\n */\nexport function f(a: string) {}',
    'tool.ts:3:4: f: @timeout says "soon", where a time such as 500ms, 30s or 5m is wanted',
  ],
  [
    'an effect that is none',
    '/**\n * D.\n * @effect maybe\n */\nexport function f(a: string) {}',
    'tool.ts:3:4: f: @effect says "maybe", where read, write, dangerous is wanted',
  ],
  [
    'a name that is taken',
    '/**\n * D.\n * @name sound\n */\nexport function f(a: string) {}',
    'tool.ts:7:1: the name sound is taken by tool.ts:5:1; this one is left out',
  ],
]

describe('a function that cannot be described', () => {
  for (const [title, source, said] of FAULTS) {
    it(`is named by file, line and type: ${title}`, async () => {
      const { problems, names } = await reflected(source)
      assert.deepEqual(problems, [said])
      assert.equal(names.length, 1, 'the other function loads')
    })
  }

  it('is told with what to do', async () => {
    await using folder = await sourceFolder({ 'tool.ts': FAULTS[0]?.[1] ?? '' })
    const { problems } = await reflectTools([folder.path], { cacheFolder: false })
    assert.deepEqual(
      problems.map(({ code, tool, source, hint }) => ({ code, tool, source, hint })),
      [
        {
          code: 'TOOL_INVALID',
          tool: 'f',
          source: join(folder.path, 'tool.ts'),
          hint: 'Use plain data there, or leave the function out with @internal.',
        },
      ],
    )
  })

  it('is found in a file of its own when the syntax is wrong; other files load', async () => {
    await using folder = await sourceFolder({ 'good.ts': SOUND, 'broken.ts': '/** D. */\nexport function f(a: number {}\n' })
    const { problems, tools } = await reflectTools([folder.path], { cacheFolder: false })
    assert.equal(problems[0]?.message, `${folder.path}/broken.ts:2:29: ',' expected.`)
    assert.ok(problems.every(({ source }) => source.endsWith('broken.ts')))
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['sound'],
    )
  })

  it('is told of modules that cannot be imported', async () => {
    await using folder = await sourceFolder({
      'good.ts': SOUND,
      'throws.ts': "/** D. */\nexport function f(a: number) {}\nthrow new Error('not today')\n",
      'enum.ts': '/** D. */\nexport function g(a: number) {}\nexport enum Level { Low }\n',
    })
    const { problems, tools } = await reflectTools([folder.path], { cacheFolder: false })
    assert.deepEqual(
      tools.map((tool) => tool.name),
      ['sound'],
    )
    assert.match(problems[0]?.message ?? '', /enum\.ts: it could not be imported: .*enum/)
    assert.match(problems[0]?.hint ?? '', /compile it, and build the tools with --compiled/)
    assert.match(problems[1]?.message ?? '', /throws\.ts: it could not be imported: Error: not today/)
  })

  it('is told of paths that hold nothing', async () => {
    await using folder = await sourceFolder({ 'notes.txt': '', 'empty/.keep': '' })
    const at = (name: string): string => join(folder.path, name)
    const { problems } = await reflectTools([at('none'), at('notes.txt'), at('empty')], { cacheFolder: false })
    assert.deepEqual(
      problems.map(({ message }) => message),
      [`${at('none')} does not exist`, `${at('notes.txt')} is no module`, `${at('empty')} holds no module`],
    )
  })
})

const WARNINGS: readonly (readonly [title: string, source: string, said: string])[] = [
  ['any', '/** D. */\nexport function f(a: any) {}', 'tool.ts:2:19: a is any: a model may send anything there'],
  [
    'a doc comment that the compiler does not see',
    'interface Options { /** How many. */ limit: number }\n/** D. */\nexport function f(options: Options) {}',
    'tool.ts:1:38: its doc comment is on the same line as what stands before it, and is not read',
  ],
  ['no description', 'export function f(a: string) {}', 'tool.ts:1:1: f is left out: it has no description'],
  [
    'several signatures',
    '/** D. */\nexport function f(a: string): void\nexport function f(a: number): void\nexport function f(a: unknown) {}',
    'tool.ts:2:1: f has 2 signatures: the first is taken',
  ],
  ['@param of nothing', '/**\n * D.\n * @param b the b\n */\nexport function f(a: string) {}', 'tool.ts:3:4: @param b names no parameter'],
  [
    'a constraint of another type',
    '/**\n * D.\n * @param a the a @minimum 3\n */\nexport function f(a: string) {}',
    'tool.ts:3:19: @minimum says nothing of a, which is string',
  ],
  [
    'a result that JSON cannot say',
    '/** D. */\nexport function f(a: string): () => void { return () => {} }',
    'tool.ts:2:31: the result is of type () => void, a function; the tool is kept, without a schema of its result',
  ],
  [
    'objects that look alike',
    '/** D. */\nexport function f(value: { at: Date } | { at: bigint }, b: string) {}',
    'tool.ts:2:19: value may be { at: Date; } or { at: bigint; }, which look alike in JSON: the first that fits is taken',
  ],
  ['an empty object', '/** D. */\nexport function f(value: {}, b: string) {}', 'tool.ts:2:19: value is an object of which nothing is said'],
]

describe('a warning', () => {
  for (const [title, source, said] of WARNINGS) {
    it(`is given for ${title}`, async () => {
      const { problems, warnings } = await reflected(source)
      assert.deepEqual(problems, [])
      assert.deepEqual(warnings, [said])
    })
  }

  it('is given for a file without functions', async () => {
    await using folder = await sourceFolder({ 'types.ts': 'export interface A { a: 1 }\n' })
    const { warnings } = await reflectTools([folder.path], { cacheFolder: false })
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [`${folder.path}/types.ts:1:1: exports no function with a doc comment`],
    )
  })
})
