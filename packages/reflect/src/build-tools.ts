import type { ReflectedDocument, RegistryProblem } from '@adjutant/core'
import { type DocumentOptions, reflectDocument } from './reflect-document.ts'

export interface BuiltTools {
  /** What is written to `tools.schema.json`; the same sources give the same bytes on every machine. */
  readonly document: ReflectedDocument
  readonly problems: readonly RegistryProblem[]
  readonly warnings: readonly RegistryProblem[]
  readonly files: readonly string[]
}

/**
 * Describes the functions without importing them: for a build, so that the program that is shipped needs no compiler. Load what
 * it gives with `loadReflectedTools` of the core.
 *
 * @example
 * ```ts
 * const { document, problems } = await buildTools(['src/tools'], { folder: 'dist', compiled: true })
 * await writeFile('dist/tools.schema.json', JSON.stringify(document, null, 2))
 * ```
 */
export async function buildTools(paths: readonly string[], options: DocumentOptions): Promise<BuiltTools> {
  const { document, problems, warnings, files } = await reflectDocument(paths, options)
  return { document, problems, warnings, files }
}
