import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type SandboxSpec } from '@adjutant/core/contract'
import { wrapCommandWithSandboxMacOS } from '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'
import { type BoxConfig, seatbeltConfig } from './box-config.ts'

const folders = { workspace: '/private/tmp/box/work[1]', temporary: '/private/tmp/box/tmp', code: '/private/tmp/box/code' }
const configOf = (spec: SandboxSpec, platform: NodeJS.Platform = 'darwin'): BoxConfig =>
  seatbeltConfig({ platform, folders, spec, readable: ['/opt/node/bin/node'], sharedFolders: ['/tmp/claude'] })

describe('what the runtime is told of a box', () => {
  it('closes all files for reading and opens the system’s and the box’s own', () => {
    const { filesystem, network } = configOf({ mounts: [{ host: '/Users/a/data', path: '/Users/a/data' }] })
    assert.deepEqual(filesystem.denyRead, ['/'])
    const read = JSON.stringify(filesystem.allowRead)
    for (const path of [...Object.values(folders), '/usr', '/System', '/opt/node/bin/node', '/Users/a/data'])
      assert.ok(read.includes(`"${path}"`), path)
    for (const path of ['"/"', '"/Users"', '"/private"', '"/etc"', '"/tmp"', '"/var"', '"/home"']) assert.ok(!read.includes(path), path)
    assert.deepEqual(filesystem.allowWrite, [
      { path: folders.workspace, literal: true },
      { path: folders.temporary, literal: true },
    ])
    assert.deepEqual(filesystem.denyWrite, [
      { path: '/Users/a/data', literal: true },
      { path: '/tmp/claude', literal: true },
    ])
    assert.deepEqual([network.allowedDomains, network.deniedDomains, network.allowLocalBinding], [[], [], false])
  })

  it('allows the hosts that were named, and refuses what it cannot say', () => {
    assert.deepEqual(configOf({ network: { allow: ['example.com', '*.example.org'] } }).network.allowedDomains, [
      'example.com',
      '*.example.org',
    ])
    assert.deepEqual(configOf({ network: 'none' }).network.allowedDomains, [])
    const refused = (error: unknown): boolean => AdjutantError.isInstance(error) && error.code === 'UNSUPPORTED'
    assert.throws(() => configOf({ network: { allow: ['example.com:8443'] } }), refused)
    assert.throws(() => configOf({ mounts: [{ host: '/Users/a', path: '/inputs' }] }), refused)
    assert.throws(() => configOf({}, 'win32'), refused)
  })

  it('becomes a profile of macOS in which everything is denied first, and a name is never a pattern', () => {
    const { filesystem } = configOf({})
    const names = (list: BoxConfig['filesystem']['allowWrite']): readonly string[] =>
      list.map((entry) => (typeof entry === 'string' ? entry : entry.path))
    const wrapped = wrapCommandWithSandboxMacOS({
      command: 'exec /bin/bash code.sh',
      needsNetworkRestriction: true,
      readConfig: { denyOnly: ['/'], literalAllowWithinDeny: [...names(filesystem.allowRead ?? [])] },
      writeConfig: { allowOnly: [], literalAllowOnly: [...names(filesystem.allowWrite)], denyWithinAllow: [] },
      binShell: '/bin/bash',
    })
    const profile = wrapped.replaceAll('\\', '')
    assert.match(wrapped, /sandbox-exec/)
    assert.match(profile, /\(deny default/)
    assert.doesNotMatch(profile, /\(allow network/)
    const denied = profile.search(/\(deny file-read\*\s+\(subpath "\/"\)/)
    const opened = profile.indexOf(`(subpath "${folders.workspace}")`)
    assert.ok(denied > 0 && opened > denied, profile.slice(0, 3000))
    assert.ok(!/\(allow file-write\*[^)]*\(subpath "\/"\)/.test(profile))
  })
})
