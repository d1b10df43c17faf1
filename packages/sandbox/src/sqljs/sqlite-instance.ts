/**
 * Owns one instance of SQLite in WebAssembly with bounded memory, and what of sql.js is used. Made for one run, or for the runs of one
 * session, and let go whole. Its files are those that it is given as bytes; it has no way to those of the host.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'
import { type BoundedMemory, boundMemory } from '../wasm/bounded-memory.ts'
import { type WasmMemory, type WasmModule, wasm } from '../wasm/web-assembly.ts'

export type SqlValue = number | bigint | string | Uint8Array | null

interface SqlStatement {
  step(): boolean
  /** Whole numbers that a number cannot hold come as bigint with this option. */
  get(values: readonly SqlValue[] | null, options: { readonly useBigInt: boolean }): readonly SqlValue[]
  run(values: readonly SqlValue[]): void
  getColumnNames(): readonly string[]
  free(): boolean
}

interface SqlStatements {
  next(): { readonly done: boolean; readonly value?: SqlStatement }
  /** From the statement on that comes next, or that could not be read. */
  getRemainingSQL(): string
}

export interface SqlDatabase {
  /** What it is called among the engine's own files. */
  readonly filename: string
  run(sql: string): unknown
  exec(sql: string): readonly { readonly values: readonly (readonly SqlValue[])[] }[]
  prepare(sql: string): SqlStatement
  iterateStatements(sql: string): SqlStatements
  getRowsModified(): number
}

export interface SqliteInstance {
  readonly memory: BoundedMemory
  /** @param image the bytes of a database file; absent: an empty one */
  openDatabase(image?: Uint8Array): SqlDatabase
}

type Factory = (config: object) => Promise<{ readonly Database: new (image?: Uint8Array) => SqlDatabase }>

const require = createRequire(import.meta.url)
const FILE = require.resolve('sql.js/dist/sql-wasm.js')
/** Compiled once; each call gives a module of its own, which the package's own loading keeps from happening. */
const load: unknown = compileFunction(readFileSync(FILE, 'utf8'), ['module', 'exports', 'require', '__filename', '__dirname'], {
  filename: FILE,
})

export async function makeSqlite(module: WasmModule): Promise<SqliteInstance> {
  const holder: { exports: unknown } = { exports: {} }
  if (typeof load === 'function') load(holder, holder.exports, require, FILE, '')
  const factory = holder.exports
  if (!isFactory(factory)) throw new TypeError('sql.js is not what this was built for')
  let memory: BoundedMemory | undefined
  const engine = await factory({
    instantiateWasm(imports: object, receive: (instance: unknown, module: unknown) => void): object {
      const instance = new wasm.Instance(module, imports)
      for (const exported of Object.values(instance.exports)) if (isMemory(exported)) memory = boundMemory(exported)
      receive(instance, module)
      return instance.exports
    },
    print: () => {},
    printErr: () => {},
  })
  if (memory === undefined) throw new TypeError('sql.js has no memory that can be bounded')
  return { memory, openDatabase: (image) => new engine.Database(image) }
}

function isFactory(value: unknown): value is Factory {
  return typeof value === 'function'
}

function isMemory(value: unknown): value is WasmMemory {
  return value instanceof wasm.Memory
}
