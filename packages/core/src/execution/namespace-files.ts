/** Owns single files of an open folder of a namespace: plain ones with one name are read, new ones put in place whole. Follows no link. */
import { randomBytes } from 'node:crypto'
import { constants, link, lstat, open, opendir, readFile, rename, unlink } from 'node:fs/promises'
import { type HeldFolder, hasCode } from './namespace-folder.ts'

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const MAKE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const SECRET = '.adjutant-secret'
const SECRET_BYTES = 32

/** `link`: no plain file with one name. `missing`: nothing. A number: its size, which is more than asked for. */
export type ReadOutcome = { readonly bytes: Uint8Array } | 'link' | 'missing' | { readonly tooLarge: number }

export async function readPlain(folder: HeldFolder, name: string, maxBytes: number): Promise<ReadOutcome> {
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(folder.at(name), READ)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'missing'
    if (hasCode(error, 'ELOOP', 'ENXIO')) return 'link'
    throw error
  }
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || stats.nlink !== 1) return 'link'
    // A file from elsewhere has one name again when its second one was removed just now; then it is no longer to be found here.
    const named = await lstat(folder.at(name)).catch(() => undefined)
    if (named?.ino !== stats.ino || named.nlink !== 1) return 'link'
    if (stats.size > maxBytes) return { tooLarge: stats.size }
    const bytes = new Uint8Array(stats.size)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return { bytes: bytes.subarray(0, length) }
  } finally {
    await handle.close()
  }
}

/** Whole or not at all, mode 0600; what was there is replaced, a link too. @throws what the system said */
export async function putInPlace(folder: HeldFolder, name: string, bytes: Uint8Array): Promise<void> {
  await withDraft(folder, bytes, (draft) => rename(draft, folder.at(name)))
}

/** The secret of a session, made by whoever asks first. @throws what the system said; RangeError when it is broken */
export async function secretOf(home: HeldFolder, randomness: (() => Uint8Array) | undefined): Promise<Uint8Array> {
  const known = await readFile(home.at(SECRET)).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (known === undefined) {
    const made = randomness?.() ?? randomBytes(SECRET_BYTES)
    await withDraft(home, made, async (draft) => {
      // A link and no rename: the first stays, and it is there whole.
      await link(draft, home.at(SECRET)).catch((error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw error
      })
      await unlink(draft)
    })
  }
  const secret = known ?? (await readFile(home.at(SECRET)))
  if (secret.length < SECRET_BYTES)
    throw new RangeError(`the secret of a session has at least ${SECRET_BYTES} bytes, this one ${secret.length}`)
  return secret
}

async function withDraft(folder: HeldFolder, bytes: Uint8Array, place: (draft: string | Buffer) => Promise<void>): Promise<void> {
  const draft = folder.at(`.adjutant-${randomBytes(9).toString('base64url')}`)
  const handle = await open(draft, MAKE, 0o600)
  try {
    await handle.writeFile(bytes).finally(() => handle.close())
    await place(draft)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

/** Files and folders below, and the bytes of the files. */
export async function countBelow(folder: HeldFolder): Promise<{ readonly bytes: number; readonly files: number }> {
  let bytes = 0
  let files = 0
  for await (const entry of await opendir(folder.at('.'), { bufferSize: 256, encoding: 'latin1' })) {
    const name = Buffer.from(entry.name, 'latin1')
    files += 1
    if (entry.isDirectory()) {
      await using below = await folder.down(name)
      const inside = await countBelow(below)
      bytes += inside.bytes
      files += inside.files
    } else bytes += (await lstat(folder.at(name)).catch(() => ({ size: 0 }))).size
  }
  return { bytes, files }
}
