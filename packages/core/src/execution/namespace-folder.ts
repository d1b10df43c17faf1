/**
 * Owns the way from the root of all namespaces into one, folder by folder. On Linux each is opened relative to the one above and no link is
 * followed, however quickly it is put there; elsewhere the real path is looked at afterwards.
 */
import { constants, type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | (constants.O_NOFOLLOW ?? 0)
const BY_DESCRIPTOR = process.platform === 'linux'

/** An open folder of which every part of the way was a real folder. */
export interface HeldFolder extends AsyncDisposable {
  /** Its path, as it was when it was opened. */
  readonly path: string
  /** A path to the entry `name`, good while the folder is held, and not to be swapped on Linux. */
  at(name: string | Buffer): string | Buffer
  /** @param options.make make it when it is missing, for its owner only. `made` says whether it was. @throws LinkInTheWay; what the system said */
  down(name: string | Buffer, options?: { readonly make: boolean }): Promise<HeldFolder & { readonly made: boolean }>
}

/** A link, or a file, stands where a folder must be. */
export class LinkInTheWay extends Error {}

/** Opens the root, which the host chose and which may be reached by links. @param make make it when it is missing */
export async function holdRoot(root: string, make: boolean): Promise<HeldFolder> {
  if (make) await mkdir(root, { recursive: true, mode: 0o700 })
  return holdReal(await realpath(root))
}

/** Opens a root whose real path is known already. */
export async function holdReal(path: string): Promise<HeldFolder> {
  return new Folder(path, BY_DESCRIPTOR ? await open(path, FOLDER) : undefined, false)
}

/** The folder at the end of the names; what was opened on the way is let go. */
export async function holdBelow(
  root: HeldFolder,
  names: readonly string[],
  options: { readonly make: boolean },
): Promise<HeldFolder & { readonly made: boolean }> {
  let here: HeldFolder & { readonly made: boolean } = { ...unowned(root), made: false }
  for (const name of names) {
    const above = here
    try {
      here = await above.down(name, options)
    } finally {
      await above[Symbol.asyncDispose]()
    }
  }
  return here
}

/** The same folder, which whoever opened it keeps. */
function unowned(folder: HeldFolder): HeldFolder {
  return {
    path: folder.path,
    at: (name) => folder.at(name),
    down: (name, options) => folder.down(name, options),
    [Symbol.asyncDispose]: async () => {},
  }
}

class Folder implements HeldFolder {
  readonly path: string
  readonly made: boolean
  readonly #handle: FileHandle | undefined

  constructor(path: string, handle: FileHandle | undefined, made: boolean) {
    this.path = path
    this.#handle = handle
    this.made = made
  }

  at(name: string | Buffer): string | Buffer {
    const own = this.#handle === undefined ? this.path : `/proc/self/fd/${this.#handle.fd}`
    return typeof name === 'string' ? `${own}/${name}` : Buffer.concat([Buffer.from(`${own}/`), name])
  }

  async down(name: string | Buffer, options: { readonly make: boolean } = { make: false }): Promise<Folder> {
    let made = false
    if (options.make) {
      try {
        await mkdir(this.at(name), { mode: 0o700 })
        made = true
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error
      }
    }
    const path = join(this.path, name.toString())
    if (this.#handle === undefined) {
      if ((await realpath(path)) !== path) throw new LinkInTheWay(path)
      return new Folder(path, undefined, made)
    }
    try {
      return new Folder(path, await open(this.at(name), FOLDER), made)
    } catch (error) {
      // Linux says ENOTDIR for a link too when only folders are to be opened.
      throw hasCode(error, 'ELOOP', 'ENOTDIR') ? new LinkInTheWay(path, { cause: error }) : error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle?.close()
  }
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
}
