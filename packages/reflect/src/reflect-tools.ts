import { resolve } from 'node:path'
import { importReflectedTools, type LoadReport, type RegistryProblem } from '@adjutant/core'
import { type ReflectOptions, reflectDocument } from './reflect-document.ts'

export interface ReflectReport extends LoadReport {
  /** What keeps no tool out, but what its author should know: a lost doc comment, a parameter of type `any`. */
  readonly warnings: readonly RegistryProblem[]
  /** The modules that were looked at, absolute. */
  readonly files: readonly string[]
  /** True when nothing had changed since the last time, and no compiler was loaded. */
  readonly cached: boolean
}

/**
 * Makes a tool of each exported function that has a doc comment, in the modules and folders named. The functions' modules are
 * imported: name only what is trusted. Never rejects for what is wrong in a source; that is reported with `file:line:column`.
 *
 * @example
 * ```ts
 * const { tools, problems, warnings } = await reflectTools(['./src/tools'])
 * registry.add(tools, './src/tools')
 * ```
 */
export async function reflectTools(paths: readonly string[], options: ReflectOptions = {}): Promise<ReflectReport> {
  const folder = resolve('.')
  const { document, problems, warnings, files, cached } = await reflectDocument(paths, { ...options, folder })
  const report = await importReflectedTools(document, folder)
  return { tools: report.tools, problems: [...problems, ...report.problems], warnings, files, cached }
}
