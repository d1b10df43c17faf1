import assert from 'node:assert/strict'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type AgentTool, isJsonObject, type JsonSchema, loadReflectedTools } from '@adjutant/core'
import { testContext } from '@adjutant/testkit'
import ts from 'typescript6'
import { type SourceFolder, sourceFolder } from '../test/source-folder.ts'
import { buildTools, type ReflectReport, reflectTools } from './index.ts'

const FIRST = '/** First. */\nexport function first(a: number): number {\n  return a\n}\n'
const SECOND = '/** Second. */\nexport function second(a: string): string {\n  return a\n}\n'

function names(report: ReflectReport): readonly string[] {
  return report.tools.map((tool) => tool.name)
}

function property(tool: AgentTool | undefined, name: string): unknown {
  const schema: JsonSchema = tool?.inputSchema ?? true
  return isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties[name] : undefined
}

describe('the cache', () => {
  const reflect = (folder: SourceFolder, name = 'src'): Promise<ReflectReport> =>
    reflectTools([join(folder.path, name)], { cacheFolder: join(folder.path, 'cache') })

  async function cacheFile(folder: SourceFolder): Promise<string> {
    const [name = ''] = await readdir(join(folder.path, 'cache'))
    return join(folder.path, 'cache', name)
  }

  it('gives the same as reading anew, warnings and faults too', async () => {
    await using folder = await sourceFolder({
      'src/a.ts': FIRST,
      'src/b.ts': '/** B. */\nexport function b(x: any) {}\n/** C. */\nexport function c(y: () => void) {}\n',
    })
    const { tools, ...cold } = await reflect(folder)
    const { tools: again, ...warm } = await reflect(folder)
    assert.deepEqual([cold.cached, warm.cached], [false, true])
    assert.deepEqual({ ...warm, cached: false }, cold)
    assert.deepEqual(
      again.map(({ name, inputSchema }) => ({ name, inputSchema })),
      tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
    )
    assert.equal(cold.problems.length, 1)
    assert.equal(cold.warnings.length, 1)
  })

  it('is passed by when a source changes, or one that it imports, or a new file appears', async () => {
    await using folder = await sourceFolder({
      'src/a.ts': "import type { Size } from '../types.ts'\n/** A. */\nexport function a(size: Size) {}\n",
      'types.ts': "export type Size = 's' | 'm'\n",
    })
    await reflect(folder)
    assert.equal((await reflect(folder)).cached, true)
    await folder.write('types.ts', "export type Size = 's' | 'm' | 'l'\n")
    const changed = await reflect(folder)
    assert.equal(changed.cached, false)
    assert.deepEqual(property(changed.tools[0], 'size'), { type: 'string', enum: ['s', 'm', 'l'] })
    await folder.write('src/b.ts', SECOND)
    const grown = await reflect(folder)
    assert.deepEqual([grown.cached, names(grown)], [false, ['a', 'second']])
  })

  it('is passed by when a package says otherwise what it offers', async () => {
    const offer = (types: string): string =>
      JSON.stringify({ name: 'sizes', version: '1.0.0', exports: { '.': { types, default: './index.js' } } })
    await using folder = await sourceFolder({
      'node_modules/sizes/package.json': offer('./one.d.ts'),
      'node_modules/sizes/one.d.ts': 'export type Size = 1\n',
      'node_modules/sizes/two.d.ts': 'export type Size = 2\n',
      'src/a.ts': "import type { Size } from 'sizes'\n/** A. */\nexport function a(size: Size) {}\n",
    })
    const one = await reflect(folder)
    assert.deepEqual(property(one.tools[0], 'size'), { type: 'number', const: 1 })
    assert.equal((await reflect(folder)).cached, true)
    await folder.write('node_modules/sizes/package.json', offer('./two.d.ts'))
    const two = await reflect(folder)
    assert.deepEqual([two.cached, property(two.tools[0], 'size')], [false, { type: 'number', const: 2 }])
  })

  it('is passed by when the tsconfig changes, or one that it extends', async () => {
    await using folder = await sourceFolder({
      'src/a.ts': '/** A. */\nexport function a(size: number | null) {}\n',
      'tsconfig.json': '{ "extends": "./base.json" }',
      'base.json': '{ "compilerOptions": { "strict": true } }',
    })
    const strict = await reflect(folder)
    assert.deepEqual(property(strict.tools[0], 'size'), { type: ['number', 'null'] })
    await folder.write('base.json', '{ "compilerOptions": { "strict": false } }')
    const loose = await reflect(folder)
    assert.equal(loose.cached, false)
    assert.deepEqual(property(loose.tools[0], 'size'), { type: 'number' })
  })

  it('does not keep what an import that leads nowhere may change', async () => {
    await using folder = await sourceFolder({ 'src/a.ts': `import type { Size } from './_later.ts'\n${FIRST}` })
    assert.equal((await reflect(folder)).cached, false)
    assert.equal((await reflect(folder)).cached, false)
  })

  const DAMAGE: Readonly<Record<string, (text: string) => string>> = {
    'cut off': (text) => text.slice(0, text.length / 2),
    empty: () => '',
    'not JSON': () => 'no JSON at all',
    'changed by hand': (text) => text.replace('First.', 'Other.'),
    'with another version': (text) => text.replace('"version":1', '"version":2'),
  }
  for (const [title, damage] of Object.entries(DAMAGE)) {
    it(`is passed by and written anew when it is ${title}`, async () => {
      await using folder = await sourceFolder({ 'src/a.ts': FIRST })
      await reflect(folder)
      const file = await cacheFile(folder)
      await writeFile(file, damage(await readFile(file, 'utf8')))
      const report = await reflect(folder)
      assert.deepEqual([report.cached, names(report), report.tools[0]?.description], [false, ['first'], 'First.'])
      assert.equal((await reflect(folder)).cached, true)
    })
  }

  it('is no way to have another module imported', async () => {
    await using folder = await sourceFolder({ 'src/a.ts': FIRST, 'evil.ts': FIRST })
    await reflect(folder)
    const file = await cacheFile(folder)
    const body = (await readFile(file, 'utf8'))
      .split('\n')
      .slice(1)
      .join('\n')
      .replaceAll('src/a.ts","call', 'evil.ts","call')
      .replace(/"module":"([^"]*)src\/a\.ts"/, '"module":"$1evil.ts"')
    const { hash } = await import('node:crypto')
    await writeFile(file, `${hash('sha256', body)}\n${body}`)
    const report = await reflect(folder)
    assert.equal(report.cached, false)
    assert.match(report.tools[0]?.origin.from ?? '', /src\/a\.ts$/)
  })

  it('is done without where it cannot be written', async () => {
    await using folder = await sourceFolder({ 'src/a.ts': FIRST, cache: 'a file where the folder should be' })
    assert.deepEqual(names(await reflect(folder)), ['first'])
    assert.deepEqual(names(await reflect(folder)), ['first'])
    await chmod(join(folder.path, 'cache'), 0o600)
  })

  it('stays whole when many read and write it at once', async () => {
    await using folder = await sourceFolder({ 'src/a.ts': FIRST, 'src/b.ts': SECOND })
    const reports = await Promise.all(Array.from({ length: 4 }, () => reflect(folder)))
    for (const report of reports) assert.deepEqual(names(report), ['first', 'second'])
    assert.deepEqual((await readdir(join(folder.path, 'cache'))).length, 1)
  })
})

describe('the sources', () => {
  const reflect = (folder: SourceFolder, ...paths: readonly string[]): Promise<ReflectReport> =>
    reflectTools(
      paths.map((path) => join(folder.path, path)),
      { cacheFolder: false },
    )

  it('are the modules of a folder and below, but no tests, declarations, or what begins with _ or .', async () => {
    await using folder = await sourceFolder({
      'src/a.ts': FIRST,
      'src/deep/b.mts': SECOND,
      'src/a.test.ts': FIRST,
      'src/_helper.ts': FIRST,
      'src/.hidden.ts': FIRST,
      'src/types.d.ts': 'export declare function third(a: number): void\n',
      'src/node_modules/x/index.ts': FIRST,
    })
    const report = await reflect(folder, 'src')
    assert.deepEqual(names(report), ['first', 'second'])
    assert.deepEqual(
      report.files.map((file) => file.slice(folder.path.length)),
      ['/src/a.ts', '/src/deep/b.mts'],
    )
  })

  it('are read by the tsconfig above them: path aliases for types', async () => {
    await using folder = await sourceFolder({
      'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext", "paths": { "@types-of/*": ["./shared/*"] } } }',
      'shared/size.ts': "export type Size = 'small' | 'large'\n",
      'src/a.ts': "import type { Size } from '@types-of/size.ts'\n/** A. */\nexport function a(size: Size) {}\n",
    })
    const report = await reflect(folder, 'src')
    assert.deepEqual(report.problems, [])
    assert.deepEqual(property(report.tools[0], 'size'), { type: 'string', enum: ['small', 'large'] })
  })

  it('may each have a tsconfig of their own, or none, or a broken one', async () => {
    const source = '/** A. */\nexport function NAME(size: number | null) {}\n'
    await using folder = await sourceFolder({
      'one/tsconfig.json': '{ "compilerOptions": { "strict": false } }',
      'one/a.ts': source.replace('NAME', 'one'),
      'two/a.ts': source.replace('NAME', 'two'),
      'three/tsconfig.json': '{ "compilerOptions": { "strict": maybe } }',
      'three/a.ts': source.replace('NAME', 'three'),
    })
    const report = await reflect(folder, 'one', 'two', 'three')
    const [one, three, two] = report.tools
    assert.deepEqual([property(one, 'size'), property(two, 'size')], [{ type: 'number' }, { type: ['number', 'null'] }])
    assert.equal(three?.name, 'three')
    assert.match(report.problems[0]?.message ?? '', /three\/tsconfig\.json:1:34: /)
  })

  it('are read by the project that includes them, where the tsconfig only refers to others', async () => {
    const source = '/** A. */\nexport function NAME(size: number | null) {}\n'
    await using folder = await sourceFolder({
      'tsconfig.json':
        '{ "files": [], "references": [{ "path": "./none" }, { "path": "./tsconfig.test.json" }, { "path": "./tsconfig.app.json" }] }',
      'tsconfig.test.json': '{ "compilerOptions": { "strict": false, "composite": true }, "include": ["test"] }',
      'tsconfig.app.json': '{ "extends": "./base.json", "include": ["src"] }',
      'base.json': '{ "compilerOptions": { "strict": true, "composite": true } }',
      'src/a.ts': source.replace('NAME', 'a'),
      'other/b.ts': source.replace('NAME', 'b'),
    })
    const cacheFolder = join(folder.path, 'cache')
    const sources = [join(folder.path, 'src')]
    const report = await reflectTools(sources, { cacheFolder })
    assert.deepEqual(report.problems, [])
    assert.deepEqual(property(report.tools[0], 'size'), { type: ['number', 'null'] })
    assert.equal((await reflectTools(sources, { cacheFolder })).cached, true)
    await folder.write('base.json', '{ "compilerOptions": { "strict": false, "composite": true } }')
    const loose = await reflectTools(sources, { cacheFolder })
    assert.deepEqual(property(loose.tools[0], 'size'), { type: 'number' })
  })

  it('may be CommonJS', async () => {
    await using folder = await sourceFolder({
      'package.json': '{ "type": "commonjs" }',
      'src/a.mjs': '/**\n * A.\n * @param {number} x\n */\nexport const a = (x) => x + 1\n',
    })
    const report = await reflect(folder, 'src')
    assert.deepEqual(report.problems, [])
    assert.deepEqual(property(report.tools[0], 'x'), { type: 'number' })
  })

  it('have their docs, defaults and markers read', async () => {
    await using folder = await sourceFolder({
      'a.ts': `/**
 * Sends a letter. Use for post;
 * not for mail.
 *
 * - one per call
 *
 * @name send letter
 * @param to - whom
 *   it goes to @minLength 2
 * @param options.copies how many
 * @minimum 1 @maximum 9 @integer
 * @param options.tray which tray
 * @dangerous
 * @timeout 1.5s
 * @tier extended
 * @tag post, paper
 * @tag slow
 * @background
 * @returns the number of the letter
 * @example
 * sendLetter('Ann')
 * @example {"to":"Bob"}
 */
export function sendLetter(to: string, { copies = 1, tray }: { copies?: number; tray?: 'upper' | 'lower' } = {}): number {
  return to.length + copies + (tray?.length ?? 0)
}
`,
    })
    const { tools, warnings, problems } = await reflect(folder, 'a.ts')
    const [tool] = tools
    assert.deepEqual([warnings, problems], [[], []])
    assert.equal(tool?.name, 'send_letter')
    assert.equal(
      tool.description,
      "Sends a letter. Use for post; not for mail.\n\n- one per call\nReturns: the number of the letter\nExample: sendLetter('Ann')",
    )
    assert.deepEqual(
      [tool.effect, tool.tier, tool.limits, tool.origin.originalName, tool.background, tool.tags],
      ['dangerous', 'extended', { timeoutMs: 1_500 }, 'sendLetter', true, ['post', 'paper', 'slow']],
    )
    assert.deepEqual(tool.outputSchema, { type: 'number', description: 'the number of the letter' })
    assert.deepEqual(tool.inputSchema, {
      type: 'object',
      properties: {
        to: { type: 'string', description: 'whom it goes to', minLength: 2 },
        options: {
          type: 'object',
          properties: {
            copies: { type: 'integer', description: 'how many', minimum: 1, maximum: 9, default: 1 },
            tray: { type: 'string', description: 'which tray', enum: ['upper', 'lower'] },
          },
          additionalProperties: false,
          default: {},
        },
      },
      required: ['to'],
      additionalProperties: false,
      examples: [{ to: 'Bob' }],
    })
    await using cx = await testContext()
    assert.equal(await tool.execute({ to: 'Ann', options: { copies: 3 } }, cx), 6)
    assert.equal(await tool.execute({ to: 'Ann' }, cx), 4)
  })

  it('keep the order of words whatever other files say', async () => {
    const source =
      "export type Level = 'low' | 'normal' | 'high'\n/** B. */\nexport function b(level: Level, other: 'z' | 'low' | 'a') {}\n"
    await using alone = await sourceFolder({ 'b.ts': source })
    await using beside = await sourceFolder({ 'a.ts': "/** A. */\nexport function a(x: 'high' | 'a' | 'low') {}\n", 'b.ts': source })
    const [one, other] = [await reflect(alone, 'b.ts'), await reflect(beside, '')]
    assert.deepEqual(one.tools[0]?.inputSchema, other.tools[1]?.inputSchema)
    assert.deepEqual(property(one.tools[0], 'level'), { type: 'string', enum: ['low', 'normal', 'high'] })
    assert.deepEqual(property(one.tools[0], 'other'), { type: 'string', enum: ['z', 'low', 'a'] })
  })
})

describe('the built file', () => {
  const ENUMS = `export enum Level { Low, Mid = 5, High }
export enum Colour { Red = 'red', Green = 'green' }
/** Paints. */
export function paint(level: Level, colour: Colour = Colour.Green, only?: Level.Low): { level: Level; colour: Colour } {
  return { level, colour }
}
`

  it('names compiled modules where the tsconfig puts them, so that enums work and no compiler is needed', async () => {
    await using folder = await sourceFolder({
      'tsconfig.json':
        '{ "compilerOptions": { "strict": true, "module": "nodenext", "rootDir": "src", "outDir": "dist" }, "include": ["src"] }',
      'src/paint.ts': ENUMS,
    })
    await folder.write(
      'dist/paint.js',
      ts.transpileModule(ENUMS, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 } }).outputText,
    )
    const built = await buildTools([join(folder.path, 'src')], { folder: join(folder.path, 'dist'), compiled: true, cacheFolder: false })
    assert.deepEqual(built.problems, [])
    assert.deepEqual(
      built.document.tools.map(({ module }) => module),
      ['./paint.js'],
    )
    const file = await folder.write('dist/tools.schema.json', JSON.stringify(built.document))
    const { tools, problems } = await loadReflectedTools(file)
    assert.deepEqual(problems, [])
    assert.deepEqual(property(tools[0], 'level'), { type: 'number', enum: [0, 5, 6], description: '0: Low, 5: Mid, 6: High' })
    assert.deepEqual(property(tools[0], 'colour'), { type: 'string', enum: ['red', 'green'], default: 'green' })
    assert.deepEqual(property(tools[0], 'only'), { type: 'number', const: 0 })
    await using cx = await testContext()
    assert.deepEqual(await tools[0]?.execute({ level: 5 }, cx), { level: 5, colour: 'green' })
  })

  it('is refused for a project that does not say where it is compiled to', async () => {
    await using folder = await sourceFolder({ 'a.ts': FIRST })
    const built = await buildTools([join(folder.path, 'a.ts')], { folder: folder.path, compiled: true, cacheFolder: false })
    assert.deepEqual(
      built.problems.map(({ message }) => message),
      [`${folder.path}/a.ts: its tsconfig does not say where it is compiled to`],
    )
    assert.deepEqual(built.document.tools, [])
  })

  it('is the same wherever it is built', async () => {
    const files = { 'src/a.ts': FIRST, 'src/b.ts': SECOND }
    await using one = await sourceFolder(files)
    await using other = await sourceFolder(files)
    const build = async ({ path }: SourceFolder): Promise<string> =>
      JSON.stringify((await buildTools([join(path, 'src')], { folder: path, cacheFolder: false })).document)
    assert.equal(await build(one), await build(other))
  })
})
