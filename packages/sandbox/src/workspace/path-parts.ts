/**
 * Owns what a path inside a workspace may look like. Refuses every spelling of the folder above, also those that only some other
 * reader would take for it (percent signs, wide letters): no honest file is called so.
 */
import { AdjutantError } from '@adjutant/core/contract'

/** Bytes of one name and of a whole path that Linux takes. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4095
/** Folders one within the other. Each is one open call on the way down. */
export const MAX_DEPTH = 64

/**
 * The names on the way to `path`, which is relative to the workspace. `.` and doubled slashes are left out; the workspace itself is `[]`.
 *
 * @throws AdjutantError PATH_OUTSIDE_WORKSPACE
 * @example
 * ```ts
 * pathParts('./plots/a.png') // ['plots', 'a.png']
 * ```
 */
export function pathParts(path: string): readonly string[] {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw refused(path, `is longer than ${MAX_PATH_BYTES} bytes`)
  if (path.includes('\0')) throw refused(path, 'holds a NUL')
  if (!path.isWellFormed()) throw refused(path, 'is no well-formed text')
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(path)) throw refused(path, 'is not relative to the workspace')
  if (leadsUp(path)) throw refused(path, 'leads out of the workspace')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length > MAX_DEPTH) throw refused(path, `is more than ${MAX_DEPTH} folders deep`)
  for (const part of parts) {
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) throw refused(path, `has a name of more than ${MAX_NAME_BYTES} bytes`)
  }
  return parts
}

function leadsUp(path: string): boolean {
  let form = path
  // Twice: `%252e` is a dot for whoever decodes twice.
  for (let round = 0; round < 3; round += 1) {
    if (
      form
        .normalize('NFKC')
        .split(/[/\\]/)
        .some((part) => part.trim() === '..')
    ) {
      return true
    }
    form = form.replace(/%(25|2e|2f|5c)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  return false
}

function refused(path: string, why: string): AdjutantError {
  return new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${shown(path)} ${why}`)
}

/** A path for a message: quoted, and not longer than a person reads. */
export function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)
}
