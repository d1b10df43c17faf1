import { lstat, open, realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { AdjutantError } from '../../../contract/index.ts'
import { type BundledFiles, listBundledFiles, readBody } from './read-body.ts'

/** What is read of a skill when it is used, wherever it is kept. */
export interface SkillContent {
  /** The instructions. @throws AdjutantError NOT_FOUND when they are gone */
  body(): Promise<string>
  files(): Promise<BundledFiles>
  /** One bundled file, by a name that `files` gave. @throws AdjutantError NOT_FOUND, PATH_OUTSIDE_WORKSPACE, TOO_LARGE */
  read(path: string): Promise<Uint8Array>
  /** Where it is kept, as people say it: a folder, a database. */
  readonly place: string
}

/** A bundled file that is read into a result: instructions and tables, not data sets. */
const MAX_FILE_BYTES = 1024 * 1024

/** The content of a skill in a folder. Reads nothing outside of it, also not through a link. */
export function folderContent(skill: { readonly name: string; readonly file: string; readonly directory: string }): SkillContent {
  return {
    place: skill.directory,
    body: () => readBody(skill),
    files: () => listBundledFiles(skill),
    read: (path) => readBundled(skill.directory, path),
  }
}

async function readBundled(directory: string, path: string): Promise<Uint8Array> {
  const outside = (): AdjutantError =>
    new AdjutantError('PATH_OUTSIDE_WORKSPACE', `${JSON.stringify(path.slice(0, 200))} is not a file of this skill`, {
      hint: 'Use a name from the list of its files.',
    })
  if (path === '' || path.includes('\0') || isAbsolute(path) || path.split(/[/\\]/).includes('..')) throw outside()
  const home = await realpath(directory)
  const target = await realpath(join(home, path)).catch((cause: unknown) => {
    throw new AdjutantError('NOT_FOUND', `the skill has no file ${JSON.stringify(path.slice(0, 200))}`, {
      hint: 'Use a name from the list of its files.',
      cause,
    })
  })
  if (!target.startsWith(home + sep)) throw outside()
  const info = await lstat(target)
  if (!info.isFile()) throw outside()
  if (info.size > MAX_FILE_BYTES) throw tooLarge(path, info.size)
  const file = await open(target, 'r')
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function tooLarge(path: string, bytes: number): AdjutantError {
  return new AdjutantError('TOO_LARGE', `${path} has ${bytes} bytes; a file of a skill is read up to ${MAX_FILE_BYTES}`, {
    hint: 'Read it with a file tool that reads in pages.',
  })
}
