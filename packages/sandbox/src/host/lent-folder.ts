/**
 * Owns lending a folder of root's to the user of a box, and giving it back as it was: whose its files are, and its mode where that had to change. What
 * is lent is noted on disk before anything is changed, so that the next host gives back what one that was killed could not. Only what is the lender's and
 * has one name is given: a second name may be anywhere on the disk. Links are given themselves, never followed.
 */
import { chmodSync, lchownSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { BoxUser } from './box-user.ts'

/** Deeper folders are a trap, not a workspace. */
const MAX_DEPTH = 200
const ROOT: BoxUser = { uid: 0, gid: 0 }
const OWNER_MAY = 0o700

interface Lent {
  readonly folder: string
  readonly to: BoxUser
  /** Before and while it is lent; absent: it stayed. */
  readonly mode?: { readonly was: number; readonly is: number }
}

/** @param note a path that nobody else uses @returns gives it back; to be called once, when nothing of the user runs any more */
export function lendFolder(folder: string, to: BoxUser, note: string): () => void {
  const was = lstatSync(folder).mode & 0o7777
  // Root may write where its own mode lets nobody.
  const mode = (was & OWNER_MAY) === OWNER_MAY ? {} : { mode: { was, is: was | OWNER_MAY } }
  const lent: Lent = { folder, to: { uid: to.uid, gid: to.gid }, ...mode }
  writeFileSync(note, JSON.stringify(lent), { mode: 0o600, flag: 'wx' })
  try {
    give(Buffer.from(folder), ROOT, to)
    if (lent.mode !== undefined) chmodSync(folder, lent.mode.is)
  } catch (error) {
    giveBack(lent, note)
    throw error
  }
  return () => giveBack(lent, note)
}

/** Gives back what the note says that a host which is gone had lent. Never throws. */
export function giveBackNoted(note: string): void {
  try {
    const lent: unknown = JSON.parse(readFileSync(note, 'utf8'))
    if (isLent(lent)) giveBack(lent, note)
    else rmSync(note)
  } catch {
    // Half written: nothing was changed yet. Or another host was quicker.
    rmSync(note, { force: true })
  }
}

function giveBack(lent: Lent, note: string): void {
  try {
    const { mode } = lent
    const there = lstatSync(lent.folder)
    if (mode !== undefined && there.isDirectory() && (there.mode & 0o7777) === mode.is) chmodSync(lent.folder, mode.was)
    give(Buffer.from(lent.folder), lent.to, ROOT)
  } catch {
    // The folder was removed meanwhile.
  }
  rmSync(note, { force: true })
}

/** A group that is not the giver's stays. */
function give(path: Buffer, from: BoxUser, to: BoxUser, depth = 0): void {
  const there = lstatSync(path)
  if (there.uid === from.uid && (there.isDirectory() || there.nlink === 1))
    lchownSync(path, to.uid, there.gid === from.gid ? to.gid : there.gid)
  if (!there.isDirectory() || depth >= MAX_DEPTH) return
  // Names are bytes: code in a box may have made ones that are no text.
  for (const name of readdirSync(path, { encoding: 'buffer' })) give(Buffer.concat([path, Buffer.from('/'), name]), from, to, depth + 1)
}

function isLent(value: unknown): value is Lent {
  if (typeof value !== 'object' || value === null || !('folder' in value) || !('to' in value)) return false
  const { folder, to } = value
  if (typeof folder !== 'string' || !folder.startsWith('/') || typeof to !== 'object' || to === null) return false
  // Never to or from anybody but a user of boxes.
  return 'uid' in to && 'gid' in to && Number.isSafeInteger(to.uid) && Number.isSafeInteger(to.gid) && to.uid !== 0 && isMode(value)
}

function isMode(value: object): boolean {
  if (!('mode' in value)) return true
  const { mode } = value
  return typeof mode === 'object' && mode !== null && 'was' in mode && 'is' in mode && isBits(mode.was) && isBits(mode.is)
}

function isBits(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 0o7777
}
