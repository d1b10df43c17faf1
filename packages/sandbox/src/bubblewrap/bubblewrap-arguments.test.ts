import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BoxPlan, bubblewrapArguments, DESCRIPTORS } from './bubblewrap-arguments.ts'

const PLAN: BoxPlan = {
  systemFolders: [
    { path: '/bin', linkTo: 'usr/bin' },
    { path: '/lib64', host: '/lib64' },
  ],
  mounts: [
    { host: '/state/etc', path: '/etc' },
    { host: '/den/workspace', path: '/workspace', writable: true },
    { host: '/data', path: '/workspace/in' },
  ],
  env: { MINE: '--bind', HOME: '/workspace/home' },
  hostname: 'sandbox',
  seccomp: true,
  command: ['/usr/bin/bash', '-c', '--', 'x'],
}

/** Where these words stand next to each other. */
function place(args: readonly string[], ...words: readonly string[]): number {
  const at = args.findIndex((_, index) => words.every((word, offset) => args[index + offset] === word))
  assert.notEqual(at, -1, words.join(' '))
  return at
}

describe('bubblewrapArguments', () => {
  const args = bubblewrapArguments(PLAN)

  it('unshares everything, gives up every right, and dies with its parent', () => {
    for (const word of ['user', 'ipc', 'pid', 'uts', 'net']) place(args, `--unshare-${word}`)
    for (const word of ['--disable-userns', '--die-with-parent', '--new-session', '--clearenv']) place(args, word)
    place(args, '--cap-drop', 'ALL')
    assert.equal(args.includes('--share-net') || args.includes('--cap-add') || args.includes('--dev-bind'), false)
  })

  it('closes the root for writing after everything is mounted, and mounts in the order given', () => {
    const closed = place(args, '--remount-ro', '/')
    assert.ok(place(args, '--remount-ro', '/dev') < closed)
    const mounts = ['--bind', '--ro-bind', '--ro-bind-try', '--tmpfs', '--proc', '--dev', '--symlink']
    assert.ok(args.every((word, index) => index < closed || index >= args.indexOf('--') || !mounts.includes(word)))
    assert.ok(place(args, '--proc', '/proc') < place(args, '--ro-bind-try', '/proc/sys', '/proc/sys'))
    assert.ok(place(args, '--bind', '/den/workspace', '/workspace') < place(args, '--ro-bind', '/data', '/workspace/in'))
    assert.equal(args.filter((word) => word === '--bind').length - 1, 1, 'one thing is writable; the other is a value of the environment')
  })

  it('sets the environment as values, whatever they look like, and the spec’s own win', () => {
    place(args, '--setenv', 'MINE', '--bind')
    place(args, '--setenv', 'HOME', '/workspace/home')
    assert.equal(args.filter((word) => word === 'HOME').length, 1)
    assert.ok(place(args, '--clearenv') < place(args, '--setenv', 'PATH'))
  })

  it('speaks on the descriptors that were agreed, and no other', () => {
    place(args, '--seccomp', String(DESCRIPTORS.seccomp))
    const bare = bubblewrapArguments({ ...PLAN, seccomp: false })
    assert.equal(bare.includes('--seccomp'), false)
  })

  it('ends with the command as it is', () => {
    assert.deepEqual(args.slice(args.indexOf('--')), ['--', ...PLAN.command])
  })
})
