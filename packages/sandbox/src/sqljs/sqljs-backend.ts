/**
 * Owns the boxes for SQL: SQLite in WebAssembly, in workers of this process, on every platform. Each run has a database of its own that is
 * thrown away, save the runs of a session.
 */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { SandboxBackend } from '@adjutant/core/contract'
import { programUrl } from '../wasm/program-url.ts'
import { WorkerBackend, type WorkerBackendOptions } from '../wasm/worker-backend.ts'

export type SqlJsBackendOptions = WorkerBackendOptions

/**
 * Boxes in which SQL runs on a database in memory: no file of the host can be opened, attached or written.
 *
 * @throws AdjutantError CONFIG_INVALID for a pool that is no number of workers
 * @example
 * ```ts
 * await using backend = sqlJsBackend({ clock: systemClock })
 * await using box = await backend.open({})
 * await box.writeFile('sales.csv', new TextEncoder().encode('city,amount\nUlm,3\nUlm,4\n'))
 * const report = await box.run({ lang: 'sql', code: 'SELECT city, sum(amount) AS total FROM sales GROUP BY city' })
 * // Buffer.from(report.stdout).toString() is '{"city":"Ulm","total":7}\n'
 * ```
 */
export function sqlJsBackend(options: SqlJsBackendOptions): SandboxBackend {
  const wasmFile = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
  return new WorkerBackend(
    {
      name: 'sqljs',
      language: 'sql',
      program: programUrl(import.meta.url, 'sqljs-worker'),
      wasmFile: pathToFileURL(wasmFile),
      minMemoryMB: 64,
      maxMemoryMB: 2_048,
      probe: "SELECT 'ok' AS said",
      detail: 'SQLite in WebAssembly (sql.js 1.17.0), in worker threads',
    },
    options,
    {},
  )
}
