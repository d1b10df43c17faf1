/**
 * Decides where sessions keep their files. Never inside the workspace: the file tools of one session reach everything there,
 * and what one session keeps must be out of every other's reach.
 */
import { tmpdir, userInfo } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'

/** True when `path` is `folder` or lies below it. Lexical: both are absolute. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../') && !way.startsWith('..\\'))
}

export interface SessionsFolder {
  readonly path: string
  /** Set when no place outside the workspace could be found. */
  readonly note?: string
}

/** The user's state folder; where the workspace contains that (a home folder, say), one in the folder for temporary files. */
export function defaultSessionsFolder(environment: Readonly<Record<string, string | undefined>>, workspace: string): SessionsFolder {
  const state = environment.XDG_STATE_HOME
  const home = environment.HOME ?? userInfo().homedir
  const base = state !== undefined && isAbsolute(state) ? state : join(home, '.local', 'state')
  const usual = resolve(base, 'adjutant', 'sessions')
  if (!isInside(usual, workspace)) return { path: usual }
  const temporary = join(tmpdir(), `adjutant-${userInfo().uid}`, 'sessions')
  if (!isInside(temporary, workspace)) return { path: temporary }
  return {
    path: usual,
    note: `sessions are kept in ${usual}, inside the workspace ${workspace}: its file tools can read them. Set sessionsFolder, or use a smaller workspace.`,
  }
}
