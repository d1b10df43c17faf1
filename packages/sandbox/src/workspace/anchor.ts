/**
 * Owns the way down into a folder that somebody hostile changes at the same time. On Linux each folder is opened relative to the open
 * descriptor of the one above, without following links: whoever swaps a part for a link meanwhile gets an error, never our bytes.
 * Elsewhere there are no such descriptors for us: the real path is looked at before and after, which whoever is quick enough can beat.
 */
import { chmod, constants, type FileHandle, mkdir, open, realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { AdjutantError } from '@adjutant/core/contract'
import { failure, notPlain, systemCode } from './failures.ts'

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Opens a name and nothing behind it: no right to read is needed. Not among Node's constants; the same on x86-64 and arm64. */
const O_PATH = 0o10000000

/** The box's user, to whom what the host makes is given. Numbers as in chown(2). */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Bytes where a name need not be text. */
export type EntryName = string | Buffer

/** An open folder. */
export interface Anchor {
  /** A path to itself or to the entry `name`, good while it is open. */
  at(name?: EntryName): string | Buffer
  /** The folder `name` in it. `make` makes it when it is missing. @throws what the system said, or AdjutantError PATH_OUTSIDE_WORKSPACE */
  down(name: EntryName, options?: { readonly make?: { readonly owner?: Owner } }): Promise<Anchor>
  /** Lets its owner list and change it again, whatever rights the code in the box took away. */
  unlock(name: EntryName): Promise<void>
  /** Throws when the folder is no longer where it was opened: only where {@link Anchor.at} is a plain path. */
  check(): Promise<void>
  close(): Promise<void>
}

function below(folder: string | Buffer, name: EntryName): string | Buffer {
  if (typeof folder === 'string' && typeof name === 'string') return folder + sep + name
  return Buffer.concat([Buffer.from(folder), Buffer.from(sep), Buffer.from(name)])
}

/** Opens the workspace's own folder, which the host made and which may be reached by links. */
export async function openAnchor(folder: string, byDescriptor: boolean): Promise<Anchor> {
  if (!byDescriptor) {
    const real = await realpath(folder)
    return new PathAnchor(real, real)
  }
  // Opened as it is said: a folder of another mount namespace (`/proc/PID/root/…`) has no real path here.
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const anchor = new DescriptorAnchor(handle)
  try {
    // Without /proc nothing can be reached by descriptor; better said at once than at the first file.
    await stat(anchor.at())
  } catch (error) {
    await handle.close()
    throw new AdjutantError('SANDBOX_UNAVAILABLE', 'files of a workspace cannot be reached safely: /proc is not mounted', { cause: error })
  }
  return anchor
}

class DescriptorAnchor implements Anchor {
  readonly #handle: FileHandle

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  at(name?: EntryName): string | Buffer {
    const own = `/proc/self/fd/${this.#handle.fd}`
    return name === undefined ? own : below(own, name)
  }

  async down(name: EntryName, options: { readonly make?: { readonly owner?: Owner } } = {}): Promise<Anchor> {
    const { make } = options
    try {
      return new DescriptorAnchor(await open(this.at(name), OPEN_FOLDER))
    } catch (error) {
      if (make === undefined || systemCode(error) !== 'ENOENT') throw error
    }
    await mkdir(this.at(name), { mode: 0o755 }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
    const handle = await open(this.at(name), OPEN_FOLDER)
    try {
      // Somebody may have put another folder there meanwhile: only what is ours is given away.
      if (make.owner !== undefined && (await handle.stat()).uid === process.geteuid?.()) await handle.chown(make.owner.uid, make.owner.gid)
    } catch (error) {
      await handle.close()
      throw error
    }
    return new DescriptorAnchor(handle)
  }

  async unlock(name: EntryName): Promise<void> {
    const handle = await open(this.at(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      // By the descriptor's own name: changing the rights by path would follow a link that was put there meanwhile.
      await chmod(`/proc/self/fd/${handle.fd}`, 0o700)
    } finally {
      await handle.close()
    }
  }

  async check(): Promise<void> {}

  close(): Promise<void> {
    return this.#handle.close()
  }
}

class PathAnchor implements Anchor {
  readonly #root: string
  readonly #path: string | Buffer

  constructor(root: string, path: string | Buffer) {
    this.#root = root
    this.#path = path
  }

  at(name?: EntryName): string | Buffer {
    return name === undefined ? this.#path : below(this.#path, name)
  }

  async down(name: EntryName, options: { readonly make?: { readonly owner?: Owner } } = {}): Promise<Anchor> {
    const path = this.at(name)
    if (options.make !== undefined) {
      await this.check()
      await mkdir(path, { mode: 0o755 }).catch((error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error
      })
    }
    const next = new PathAnchor(this.#root, path)
    await next.check()
    return next
  }

  unlock(): Promise<void> {
    // Changing rights by path would follow a link.
    return Promise.resolve()
  }

  async check(): Promise<void> {
    const path = this.#path.toString()
    const real = await realpath(path)
    if (real !== path || !(real === this.#root || real.startsWith(this.#root + sep))) throw notPlain(path, 'reached by a link')
  }

  async close(): Promise<void> {}
}

/**
 * Opens the folder at the end of `parts` below `root` and calls `use` with it; whatever happens nothing stays open.
 *
 * @throws AdjutantError NOT_FOUND, CONFLICT, PATH_OUTSIDE_WORKSPACE, SANDBOX_FAILED
 */
export async function withFolder<T>(
  root: Anchor,
  parts: readonly string[],
  path: string,
  options: { readonly make?: { readonly owner?: Owner } },
  use: (folder: Anchor) => Promise<T>,
): Promise<T> {
  let here = root
  try {
    for (const part of parts) {
      const next = await here.down(part, options)
      if (here !== root) await here.close()
      here = next
    }
    return await use(here)
  } catch (error) {
    throw failure(error, path)
  } finally {
    if (here !== root) await here.close()
  }
}
