/** Owns what a failed system call means for whoever asked for a file of a workspace. */
import { AdjutantError } from '@adjutant/core/contract'
import { shown } from './path-parts.ts'

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** What is there is no plain file or folder of this workspace: a link, a second name of a file, a pipe, a device. */
export function notPlain(path: string, what: string): AdjutantError {
  return new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${shown(path)} is ${what}; only plain files and folders of the workspace can be used`)
}

export function tooLarge(message: string): AdjutantError {
  return new AdjutantError('TOO_LARGE', message)
}

/** Makes an AdjutantError of what a system call said about `path`. */
export function failure(error: unknown, path: string): AdjutantError {
  if (AdjutantError.isInstance(error)) return error
  const code = systemCode(error)
  switch (code) {
    case 'ENOENT':
      return new AdjutantError('NOT_FOUND', `${shown(path)} does not exist in the workspace`, { cause: error })
    case 'ELOOP':
      return notPlain(path, 'a link')
    case 'ENXIO':
      return notPlain(path, 'a socket or a pipe')
    case 'ENOTDIR':
      return new AdjutantError('CONFLICT', `a part of ${shown(path)} before its end is a file or a link`, { cause: error })
    case 'EISDIR':
    case 'ENOTEMPTY':
    case 'EEXIST':
      return new AdjutantError('CONFLICT', `${shown(path)} is a folder`, { cause: error })
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new AdjutantError('CONFLICT', `${shown(path)} may not be opened: the code in the box has set its rights (${code})`, {
        cause: error,
      })
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new AdjutantError('TOO_LARGE', `${shown(path)} does not fit: the disk is full (${code})`, { cause: error })
    default:
      return new AdjutantError('SANDBOX_FAILED', `the workspace cannot be used at ${shown(path)}: ${code ?? String(error)}`, {
        cause: error,
      })
  }
}
