import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { capabilitiesOf, wantsColour } from './capabilities.ts'

const TTY = { isTTY: true }

describe('what a terminal can do', () => {
  it('follows FORCE_COLOR, then NO_COLOR, then the stream', () => {
    assert.equal(wantsColour({ TERM: 'xterm' }, TTY), true)
    assert.equal(wantsColour({ TERM: 'xterm' }, {}), false)
    assert.equal(wantsColour({ TERM: 'dumb' }, TTY), false)
    assert.equal(wantsColour({}, TTY), false)
    assert.equal(wantsColour({ TERM: 'xterm', NO_COLOR: '1' }, TTY), false)
    assert.equal(wantsColour({ TERM: 'xterm', NO_COLOR: '' }, TTY), true)
    assert.equal(wantsColour({ FORCE_COLOR: '1', NO_COLOR: '1' }, {}), true)
    assert.equal(wantsColour({ TERM: 'xterm', FORCE_COLOR: '0' }, TTY), false)
  })

  it('draws only for a person, at a terminal that can, outside CI', () => {
    const stream = (isTTY: boolean): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY })
    const look = (stdin: boolean, stderr: boolean, env: Record<string, string>): ReturnType<typeof capabilitiesOf> =>
      capabilitiesOf({ stdin: stream(stdin), stderr: stream(stderr), env })
    assert.equal(look(true, true, { TERM: 'xterm' }).live, true)
    assert.equal(look(true, true, { TERM: 'dumb' }).live, false)
    assert.equal(look(true, true, { TERM: 'dumb' }).person, true)
    assert.equal(look(true, true, { TERM: 'xterm', CI: 'true' }).live, false)
    assert.equal(look(true, true, { TERM: 'xterm', CI: 'false' }).live, true)
    assert.equal(look(false, true, { TERM: 'xterm' }).person, false)
    assert.equal(look(true, false, { TERM: 'xterm' }).live, false)
    assert.equal(look(true, true, { TERM: 'xterm', LANG: 'en_US.UTF-8' }).unicode, true)
    assert.equal(look(true, true, { TERM: 'xterm', LC_ALL: 'C', LANG: 'en_US.UTF-8' }).unicode, false)
  })
})
