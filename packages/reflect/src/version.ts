import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Grows whenever the same source would be described otherwise; what was cached by another one is not used. */
const DERIVER_VERSION = 1

/** What the description of a source depends on beside the source: read from the package, so that no compiler is loaded for it. */
export function deriverKey(): string {
  const path = createRequire(import.meta.url).resolve('typescript6/package.json')
  const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const version = typeof found === 'object' && found !== null && 'version' in found ? String(found.version) : 'unknown'
  return `deriver ${DERIVER_VERSION}, compiler ${version}`
}
