/**
 * Hostile strings as arguments of every built-in tool, through a session: nothing outside the workspace is read or written, nothing is run,
 * nothing becomes code, and each call has its result in its place.
 */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import {
  type AgentTool,
  callId,
  isJsonObject,
  type JsonObject,
  ownValue,
  Registry,
  Session,
  type ToolCall,
  type ToolResult,
} from '@adjutant/core'
import { countingIds, scriptedApprover, scriptedAsker } from '@adjutant/testkit'
import { askUserTool, createFileTools, createSqlTool, readResultTool } from './index.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('tools: ADJUTANT_MATERIAL is not set; hostile strings from outside were not tried\n')

/** As many folders above the workspace hold a secret, so that any number of dots finds one. */
const LEVELS = 9
const KEPT: readonly string[] = ['src', 'leak', 'out']
const SECRET = 'CANARY-OF-THE-WORLD-OUTSIDE'
/** What is searched for: an answer may say that again. */
const PART = 'OF-THE-WORLD'

interface Bench extends AsyncDisposable {
  readonly outside: string
  readonly root: string
  readonly session: Session
  readonly tools: readonly AgentTool[]
  /** Processes that were started since the bench was opened. */
  readonly started: readonly string[]
  run(calls: readonly (readonly [name: string, input: JsonObject])[]): Promise<readonly ToolResult[]>
  /** Takes away what was written in the workspace, or every search would read all of it. */
  clean(): Promise<void>
  /** Everything outside the workspace: paths and contents. */
  world(): Promise<JsonObject>
}

async function openBench(): Promise<Bench> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-hostile-')))
  const outside = join(parent, 'outside')
  const levels = Array.from({ length: LEVELS }, (_, index) => `d${index}`)
  const root = join(outside, ...levels)
  await mkdir(root, { recursive: true })
  for (let depth = 0; depth < LEVELS; depth++) await writeFile(join(outside, ...levels.slice(0, depth), 'secret'), SECRET)
  await mkdir(join(root, 'src'))
  await writeFile(join(root, 'src/index.ts'), 'const limit = 10\n')
  await symlink(join(outside, 'secret'), join(root, 'leak'))
  await symlink(outside, join(root, 'out'))
  const file = join(parent, 'shop.sqlite')
  const database = new DatabaseSync(file)
  database.exec("CREATE TABLE products (name TEXT, price REAL); INSERT INTO products VALUES ('ink', 3)")
  database.close()
  const sql = createSqlTool({ databases: { shop: file }, pool: 1 })
  const tools = [...createFileTools({ workspace: root }), askUserTool, readResultTool, sql.tool]
  const registry = new Registry()
  assert.deepEqual(registry.add(tools, 'test'), [])
  const session = new Session({
    tools: registry.snapshot(),
    namespaceRoot: join(parent, 'sessions'),
    mode: 'allow',
    approver: scriptedApprover(() => ({ type: 'deny' })),
    asker: scriptedAsker(),
    ids: countingIds(),
    loopGuard: false,
    redactor: false,
    limits: { timeoutMs: 30_000 },
  })
  const started: string[] = []
  const note = (message: unknown): void => void started.push(inspect(message, { depth: 1 }))
  let made = 0
  const bench: Bench = {
    outside,
    root,
    session,
    tools,
    started,
    run: async (calls) => {
      const asked = calls.map(
        ([name, value], index): ToolCall => ({
          id: callId(`c${++made}`),
          index,
          name,
          arguments: { ok: true, value },
          idFromProvider: true,
        }),
      )
      const results = await session.execute(asked)
      assert.deepEqual(
        results.map(({ id }) => id),
        asked.map(({ id }) => id),
      )
      return results
    },
    async clean() {
      for (const name of await readdir(root)) if (!KEPT.includes(name)) await rm(join(root, name), { recursive: true })
    },
    async world() {
      const found: Record<string, string> = {}
      for (const entry of await readdir(parent, { withFileTypes: true, recursive: true })) {
        const path = join(entry.parentPath, entry.name)
        if (path.startsWith(`${root}/`) || path.startsWith(join(parent, 'sessions'))) continue
        found[path] = entry.isFile() ? await readFile(path, 'latin1') : 'folder'
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      diagnostics.unsubscribe('child_process', note)
      await session.close()
      await sql.close()
      await rm(parent, { recursive: true, force: true })
    },
  }
  // The processes of the pool are there from the first answer on.
  const [ready] = await bench.run([['sql_query', { sql: 'SELECT 1' }]])
  assert.equal(ready?.outcome, 'ok')
  diagnostics.subscribe('child_process', note)
  return bench
}

/** The arguments that a tool needs, as its own schema shows them, with one text replaced or added, once for each text. */
function* withText(tool: AgentTool, text: string): Generator<JsonObject> {
  const schema = tool.inputSchema
  assert.ok(isJsonObject(schema) && isJsonObject(schema.properties) && Array.isArray(schema.examples))
  const { required = [] } = schema
  const [example] = schema.examples
  assert.ok(isJsonObject(example) && Array.isArray(required))
  const needed = Object.fromEntries(required.map((name) => [String(name), ownValue(example, String(name)) ?? 'x']))
  for (const [name, property] of Object.entries(schema.properties)) {
    const type = isJsonObject(property) ? ownValue(property, 'type') : undefined
    if (type === 'string') yield { ...needed, [name]: text }
    else if (type === 'array') yield { ...needed, [name]: [text, 'x'] }
  }
}

/** Nothing of the world outside in a result, whatever it says. */
function assertNothingRead(results: readonly ToolResult[], what: string): void {
  for (const result of results) assert.ok(!result.text.includes(SECRET) && !/root:[^:]*:0:0/.test(result.text), `${result.name}: ${what}`)
}

/** Each text as each text argument of each tool (of the slow ones only every so many): all results in place, nothing read, written or run. */
async function tryTexts(texts: readonly string[], slowOnes = 1): Promise<readonly ToolResult[]> {
  await using bench = await openBench()
  const before = await bench.world()
  const all: ToolResult[] = []
  for (const [index, text] of texts.entries()) {
    const tools = bench.tools.filter(({ name }) => index % slowOnes === 0 || (name !== 'search_text' && name !== 'write_file'))
    const calls = tools.flatMap((tool) => [...withText(tool, text)].map((input) => [tool.name, input] as const))
    const results = await bench.run(calls)
    assertNothingRead(results, text)
    await bench.clean()
    all.push(...results)
  }
  assert.deepEqual(await bench.world(), before)
  assert.deepEqual(bench.started, [])
  return all
}

/** Ways to lead a path to a secret. */
function pathsTo(bench: Bench): readonly string[] {
  const up = [1, 4, LEVELS, LEVELS + 1, LEVELS + 9].map((depth) => '../'.repeat(depth))
  const targets = ['secret', 'new-file', 'new/folder/file']
  const spelled = (path: string): readonly string[] => [
    path,
    `./${path}`,
    `src/${path}`,
    `nothing/${path}`,
    path.replaceAll('/', '\\'),
    path.replaceAll('../', '....//'),
    path.replaceAll('../', '..;/'),
    path.replaceAll('.', '%2e'),
    path.replaceAll('/', '%2f'),
    path.replaceAll('/', '%252f'),
    path.replaceAll('/', '\u2215'),
    path.replaceAll('.', '\uff0e'),
    `${path}\0.txt`,
    `file://${bench.root}/${path}`,
  ]
  return [
    ...up.flatMap((dots) => targets.flatMap((target) => spelled(`${dots}${target}`))),
    ...targets.flatMap((target) => [
      join(bench.outside, target),
      `/${join(bench.outside, target)}`,
      `file://${join(bench.outside, target)}`,
      `out/${target}`,
      `out/../out/${target}`,
    ]),
    'leak',
    'leak/',
    './leak',
    'src/../leak',
    'out',
    'out/d0/secret',
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/self/root/etc/passwd',
    '/dev/fd/0',
    '~/.ssh/id_rsa',
    '$HOME/.profile',
    `${bench.root}x/secret`,
    `${bench.root}/../secret`,
  ]
}

type Asked = readonly [name: string, input: JsonObject]

/** The tools of files with this text as the path, and as the pattern where there is one. A search starts a thread: not for each text. */
function asPath(path: string, thorough: boolean): readonly Asked[] {
  const searches: readonly Asked[] = [
    ['search_text', { query: PART, path }],
    ['search_text', { query: PART, glob: path }],
  ]
  return [
    ['read_file', { path }],
    ['list_directory', { path }],
    ['find_files', { pattern: '*', path }],
    ['find_files', { pattern: path }],
    ...(thorough ? searches : []),
    ['write_file', { path, content: 'OVERWRITTEN' }],
    ['edit_file', { path, old_text: PART, new_text: 'EDITED' }],
    ['read_result', { id: path }],
  ]
}

async function tryPaths(pathsOf: (bench: Bench) => readonly string[]): Promise<number> {
  await using bench = await openBench()
  const before = await bench.world()
  const paths = pathsOf(bench)
  for (const [index, path] of paths.entries()) {
    assertNothingRead(await bench.run(asPath(path, index % 40 === 0)), path)
    await bench.clean()
  }
  assert.deepEqual(await bench.world(), before)
  assert.deepEqual(bench.started, [])
  return paths.length
}

/** Each would make a file at `canary` if anything took it for code. */
function commandsThatTouch(canary: string): readonly string[] {
  const command = `touch ${canary}`
  const script = `require('fs').writeFileSync('${canary}','')`
  return [
    `; ${command} ;`,
    `| ${command}`,
    `|| ${command}`,
    `& ${command} &`,
    `&& ${command}`,
    `\n${command}\n`,
    `\`${command}\``,
    `$(${command})`,
    `<(${command})`,
    `'; ${command}; '`,
    `"; ${command}; "`,
    `a); ${command}; (`,
    `{{ ${script} }}`,
    `\${${script}}`,
    `<%= ${script} %>`,
    `';${script}//`,
    `"+${script}+"`,
    `'; ATTACH DATABASE '${canary}' AS x; CREATE TABLE x.y(z); --`,
    `SELECT load_extension('${canary}')`,
    `VACUUM INTO '${canary}'`,
    `ATTACH DATABASE '${canary}' AS x`,
    `1; DROP TABLE products`,
    `DELETE FROM products RETURNING *`,
    `PRAGMA temp_store_directory = '${canary}'`,
    `SELECT writefile('${canary}', 'x')`,
    `-o${canary}`,
    `--output=${canary}`,
  ]
}

describe('paths that lead out', () => {
  it('open nothing: read, list, find, search, write and edit stay in the workspace', async () => {
    assert.ok((await tryPaths(pathsTo)) > 200)
  })
})

describe('texts that are commands somewhere', () => {
  it('stay texts in every argument of every tool (E6)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adjutant-canary-'))
    try {
      const results = await tryTexts(commandsThatTouch(join(folder, 'touched')), 3)
      assert.deepEqual(await readdir(folder), [])
      const kinds = new Set(results.map(({ name }) => name))
      assert.equal(kinds.size, 9)
      assert.ok(results.some(({ outcome }) => outcome === 'ok'))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('go through a query as values and come back letter by letter', async () => {
    await using bench = await openBench()
    const texts = commandsThatTouch('/nowhere/canary')
    const results = await bench.run(texts.map((text) => ['sql_query', { sql: 'SELECT ? AS said', parameters: [text] }]))
    for (const [index, { text }] of results.entries()) assert.ok(text.includes(JSON.stringify([texts[index]])), text)
    const [left] = await bench.run([['sql_query', { sql: 'SELECT count(*) AS n FROM products' }]])
    assert.match(left?.text ?? '', /\[1\]/)
  })
})

describe('hostile strings from outside', { skip: material === undefined }, () => {
  const linesOf = async (folder: string): Promise<readonly string[]> => {
    const path = join(material ?? '', 'security/payloads', folder, 'Intruder')
    const lists = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name), 'utf8')))
    return [...new Set(lists.flatMap((list) => list.split(/\r?\n/)).filter((line) => line !== ''))]
  }
  const naughty = async (): Promise<readonly string[]> => {
    const list: unknown = JSON.parse(await readFile(join(material ?? '', 'security/blns/blns.json'), 'utf8'))
    assert.ok(Array.isArray(list))
    return list.map(String)
  }

  it('that traverse folders reach nothing', async () => {
    const lines = await linesOf('Directory Traversal')
    assert.ok(lines.length > 1_400, `${lines.length}`)
    const paths = lines.map((line) => line.replaceAll('{FILE}', 'secret'))
    await tryPaths(() => paths)
  })

  it('that inject commands run nothing', async () => {
    const lines = await linesOf('Command Injection')
    assert.ok(lines.length > 450, `${lines.length}`)
    await tryTexts(lines, 20)
  })

  it('that break programs break nothing, as arguments, names and ids', async () => {
    const texts = await naughty()
    assert.ok(texts.length > 500, `${texts.length}`)
    await tryTexts(texts, 20)
    await using bench = await openBench()
    const unique = [...new Set(texts)].filter((text) => text !== '')
    const known = await bench.session.execute(
      unique.map((id, index) => ({
        id: callId(id),
        index,
        name: 'read_file',
        arguments: { ok: true, value: { path: id } },
        idFromProvider: true,
      })),
    )
    assert.deepEqual(
      known.map(({ id }) => String(id)),
      unique,
    )
    const unknown = await bench.run(unique.map((name) => [name, { path: name }]))
    for (const [index, { name, code }] of unknown.entries()) assert.deepEqual([name, code], [unique[index], 'UNKNOWN_TOOL'])
  })
})
