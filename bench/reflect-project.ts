/**
 * Owns the sources that reflection is measured on: functions as people write them, in ten modules, with the types of a project
 * beside them. Made anew for each measurement, so that no cache of another run knows them.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface ReflectProject extends AsyncDisposable {
  readonly source: string
  readonly cache: string
}

const MODULES = 10
const KINDS: readonly ((name: string) => string)[] = [
  (name) => `export async function find${name}(query: string, limit = 20, after?: Date): Promise<{ id: string; title: string }[]> {
  return [{ id: query, title: String(limit + (after?.getTime() ?? 0)) }]
}`,
  (
    name,
  ) => `export function create${name}({ title, priority = 'normal', labels = [] }: { title: string; priority?: Priority; labels?: string[] }): Item {
  return { id: 1n, title, priority, labels, made: new Date(0) }
}`,
  (name) => `export function move${name}(id: bigint, to: Place, options: Partial<Pick<Item, 'title' | 'labels'>> = {}): Item {
  return { id, title: options.title ?? '', priority: 'low', labels: options.labels ?? [], made: new Date(to.latitude) }
}`,
  (
    name,
  ) => `export function draw${name}(shape: Shape, colours: Map<string, number>, at: [x: number, y: number]): { shape: Shape; points: number } {
  return { shape, points: colours.size + at[0] }
}`,
  (name) => `export function walk${name}(tree: Tree, names: Set<string>): Tree {
  return { ...tree, name: [...names].join() }
}`,
]

const TYPES = `export type Priority = 'low' | 'normal' | 'high'
/** A thing to be done. */
export interface Item {
  id: bigint
  /** What it is about. @minLength 3 */
  title: string
  priority: Priority
  labels: string[]
  made: Date
}
export interface Place {
  /** Degrees north. @minimum -90 @maximum 90 */
  latitude: number
  longitude: number
}
export type Shape = { kind: 'circle'; radius: number } | { kind: 'rectangle'; width: number; height: number } | { kind: 'free'; points: Place[] }
export interface Tree {
  name: string
  children?: Tree[]
}
`

/** @param functions how many; a tenth of them in each module */
export async function reflectProject(functions: number): Promise<ReflectProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-bench-reflect-')))
  const source = join(folder, 'src')
  await mkdir(source)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const typeRoots = [fileURLToPath(new URL('../node_modules/@types', import.meta.url))]
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024'],
    module: 'nodenext',
    strict: true,
    types: ['node'],
    typeRoots,
    skipLibCheck: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  await writeFile(join(source, '_types.ts'), TYPES)
  for (let module = 0; module < MODULES; module += 1) {
    const parts = ["import type { Item, Place, Priority, Shape, Tree } from './_types.ts'\n"]
    for (let at = module; at < functions; at += MODULES) {
      const kind = KINDS[((at / MODULES) % KINDS.length) | 0]
      if (kind !== undefined)
        parts.push(
          `/**\n * Does the work of number ${at}. Not for other numbers.\n * @effect read\n * @timeout 30s\n */\n${kind(`Thing${at}`)}\n`,
        )
    }
    await writeFile(join(source, `module-${module}.ts`), parts.join('\n'))
  }
  return { source, cache: join(folder, 'cache'), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
