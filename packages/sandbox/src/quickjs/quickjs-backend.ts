/**
 * Owns the boxes for JavaScript that need nothing of the system: QuickJS in WebAssembly, in workers of this process, on every platform. Each
 * run has an instance of its own that is thrown away, save the runs of a session.
 */
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { SandboxBackend } from '@adjutant/core/contract'
import type { HostGrants } from '../wasm/host-grants.ts'
import { programUrl } from '../wasm/program-url.ts'
import { WorkerBackend, type WorkerBackendOptions } from '../wasm/worker-backend.ts'

export interface QuickJsBackendOptions extends WorkerBackendOptions {
  /** Functions of the host that code may call. Default: none. */
  readonly grants?: HostGrants
}

/**
 * Boxes in which JavaScript runs without anything of the host: no files but its own, no network, no process, no module.
 *
 * @throws AdjutantError CONFIG_INVALID for a pool that is no number of workers, or a grant with an impossible name
 * @example
 * ```ts
 * await using backend = quickJsBackend({ clock: systemClock })
 * await using box = await backend.open({ limits: { memoryMB: 64, wallMs: 1_000 } })
 * const report = await box.run({ lang: 'js', code: 'console.log(input.a + 1)', stdin: '{"a":1}' })
 * // Buffer.from(report.stdout).toString() is '2\n'
 * ```
 */
export function quickJsBackend(options: QuickJsBackendOptions): SandboxBackend {
  const wasm = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return new WorkerBackend(
    {
      name: 'quickjs',
      language: 'js',
      program: programUrl(import.meta.url, 'quickjs-worker'),
      wasmFile: pathToFileURL(wasm),
      minMemoryMB: 24,
      maxMemoryMB: 2_048,
      probe: 'console.log("ok")',
      detail: 'QuickJS 2025-09-13 in WebAssembly, in worker threads',
    },
    options,
    options.grants ?? {},
  )
}
