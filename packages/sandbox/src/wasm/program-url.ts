/**
 * Where a program of this package lies: beside the module that starts it, with the ending that this module has itself, so that
 * the sources (`.ts`, run as they are) and the built package (`.js`) both find theirs.
 *
 * @example programUrl(import.meta.url, 'quickjs-worker')
 */
export function programUrl(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl)
}
