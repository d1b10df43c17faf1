import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cgroupMounts } from './cgroup-mounts.ts'

const line = (mountPoint: string, type: string, options: string, root = '/'): string =>
  `32 31 0:29 ${root} ${mountPoint} rw,relatime shared:9 - ${type} ${type} rw,${options}`

describe('cgroupMounts', () => {
  it('finds the own folder in v2', () => {
    assert.deepEqual(cgroupMounts(line('/sys/fs/cgroup', 'cgroup2', 'nsdelegate'), '0::/user.slice/user-1000.slice/run-1.scope\n'), [
      {
        version: 2,
        controllers: [],
        mountPoint: '/sys/fs/cgroup',
        own: '/sys/fs/cgroup/user.slice/user-1000.slice/run-1.scope',
      },
    ])
  })

  it('finds each controller of v1, also those that share a hierarchy, and v2 beside them', () => {
    const mountinfo = [
      '22 27 0:21 / /proc rw,relatime - proc proc rw',
      line('/sys/fs/cgroup/memory', 'cgroup', 'memory'),
      line('/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'cpu,cpuacct'),
      line('/sys/fs/cgroup/systemd', 'cgroup', 'xattr,name=systemd'),
      line('/sys/fs/cgroup/unified', 'cgroup2', 'nsdelegate'),
    ].join('\n')
    const found = cgroupMounts(mountinfo, '4:memory:/a/b\n3:cpu,cpuacct:/\n2:name=systemd:/c\n0::/\n')
    assert.deepEqual(
      found.map(({ version, controllers, own }) => [version, controllers, own]),
      [
        [1, ['memory'], '/sys/fs/cgroup/memory/a/b'],
        [1, ['cpu', 'cpuacct'], '/sys/fs/cgroup/cpu,cpuacct'],
        [1, ['name=systemd'], '/sys/fs/cgroup/systemd/c'],
        [2, [], '/sys/fs/cgroup/unified'],
      ],
    )
  })

  it('takes the mount point where the own folder cannot be seen', () => {
    const own = (root: string, path: string): string | undefined =>
      cgroupMounts(line('/sys/fs/cgroup/my\\040pids', 'cgroup', 'pids', root), `8:pids:${path}\n`)[0]?.own
    assert.equal(own('/docker/abc', '/docker/abc'), '/sys/fs/cgroup/my pids')
    assert.equal(own('/docker/abc', '/docker/abc/x'), '/sys/fs/cgroup/my pids/x')
    assert.equal(own('/docker/abc', '/docker/abcd'), '/sys/fs/cgroup/my pids')
    assert.equal(own('/', '/../other'), '/sys/fs/cgroup/my pids')
  })

  it('takes any text', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => assert.ok(Array.isArray(cgroupMounts(`${a}\n - cgroup2 `, b)))))
    fc.assert(fc.property(fc.string(), (a) => assert.deepEqual(cgroupMounts(a, '0::/'), [])))
  })
})
