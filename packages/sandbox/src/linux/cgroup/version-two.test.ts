import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '@adjutant/testkit'
import { type CgroupProbe, probeCgroups } from './find-cgroups.ts'
import { MODEL_PID, type ModelFolder, VersionTwoModel } from './version-two.test-helper.ts'

const ALL = ['cpu', 'memory', 'pids']
const skip = process.platform === 'linux' ? false : 'needs /proc'

async function probe(own: string, folders: Readonly<Record<string, ModelFolder>>, parent?: string) {
  const files = new VersionTwoModel(own, folders)
  const options = { clock: new ManualClock(), files, withProcess: <T>(use: (pid: number) => Promise<T>) => use(MODEL_PID) }
  const answer: CgroupProbe = await probeCgroups(parent === undefined ? options : { ...options, parent })
  return { files, answer }
}

describe('cgroup v2, on a model of its rules', { skip }, () => {
  it('makes boxes beside a process that was delegated a group of its own', async () => {
    const { files, answer } = await probe('/app.slice/agent.service/main', {
      '/': { controllers: ALL, writable: false, enabled: ALL },
      '/app.slice': { controllers: ALL, writable: false, enabled: ALL },
      '/app.slice/agent.service': { controllers: ALL, writable: true },
      '/app.slice/agent.service/main': { controllers: [], writable: true, pids: [MODEL_PID + 1] },
    })
    assert.ok(answer.ok, answer.detail)
    assert.equal(answer.detail, 'cgroup v2 (memory, pids, cpu)')
    assert.deepEqual([...answer.driver.enforces].sort(), ['cpu', 'memory', 'process-count'])
    const base = '/sys/fs/cgroup/app.slice/agent.service'
    assert.deepEqual(files.children(base), ['main'])

    const box = await answer.driver.create('test', { memoryMB: 100, processes: 20, cpuShare: 0.5 })
    const path = `${base}/${box.name}`
    assert.equal(files.read(`${path}/memory.max`), '104857600')
    assert.equal(files.read(`${path}/memory.swap.max`), '0')
    assert.equal(files.read(`${path}/pids.max`), '20')
    assert.equal(files.read(`${path}/cpu.max`), '50000 100000')
    files.tell(`${path}/memory.peak`, '52428800\n')
    files.tell(`${path}/memory.events`, 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n')
    files.tell(`${path}/pids.peak`, '7\n')
    files.tell(`${path}/pids.events`, 'max 4\n')
    files.tell(`${path}/cpu.stat`, 'usage_usec 1234567\nuser_usec 1\n')
    await box.add(MODEL_PID)
    assert.equal(await box.resetPeak(), false, 'v2 forgets for one descriptor only')
    assert.deepEqual(box.pids(), [MODEL_PID])
    await box.remove()
    await box.remove()
    assert.deepEqual(box.usage(), { memoryMB: 50, cpuMs: 1235, processes: 7 })
    assert.deepEqual([box.oomKills(), box.refusedForks()], [2, 4])
    assert.deepEqual(files.children(base), ['main'])
  })

  it('lets several boxes have so much memory together', async () => {
    const { files, answer } = await probe('/a/main', {
      '/': { controllers: ALL, writable: false, enabled: ALL },
      '/a': { controllers: ALL, writable: true },
      '/a/main': { controllers: [], writable: true, pids: [MODEL_PID + 1] },
    })
    assert.ok(answer.ok, answer.detail)
    const family = await answer.driver.family('boxes', 64)
    const [name] = files.children('/sys/fs/cgroup/a').filter((one) => one !== 'main')
    const path = `/sys/fs/cgroup/a/${name}`
    assert.deepEqual([files.read(`${path}/memory.max`), files.read(`${path}/memory.swap.max`)], ['67108864', '0'])
    const boxes = await Promise.all([1, 2].map((MB) => family.create('one', { memoryMB: MB, processes: 3 })))
    assert.deepEqual(
      files.children(path),
      boxes.map((box) => box.name),
    )
    for (const [index, box] of boxes.entries())
      assert.deepEqual(
        [files.read(`${path}/${box.name}/memory.max`), files.read(`${path}/${box.name}/pids.max`)],
        [`${(index + 1) << 20}`, '3'],
      )
    assert.deepEqual(boxes[0]?.entries(), [`${path}/${boxes[0]?.name}/cgroup.procs`])
    assert.equal(await family.limit(80), true)
    assert.equal(files.read(`${path}/memory.max`), '83886080')
    for (const box of boxes) await box.remove()
    await family.remove()
    await family.remove()
    assert.deepEqual(files.children('/sys/fs/cgroup/a'), ['main'])
    await assert.rejects(answer.driver.family('boxes', 0), { code: 'CONFIG_INVALID' })
  })

  it('takes the folder that it was given before its own', async () => {
    const { files, answer } = await probe(
      '/session.scope',
      {
        '/': { controllers: ALL, writable: false, enabled: ALL },
        '/session.scope': { controllers: ALL, writable: false, pids: [1] },
        '/adjutant': { controllers: ALL, writable: true },
      },
      '/adjutant/',
    )
    assert.ok(answer.ok, answer.detail)
    const box = await answer.driver.create('a', { memoryMB: 1, processes: 1 })
    assert.deepEqual(files.children('/sys/fs/cgroup/adjutant'), [box.name])
    assert.equal(files.read(`/sys/fs/cgroup/adjutant/${box.name}/cpu.max`), undefined)
    await box.remove()
  })

  it('says why not when nothing was delegated, and leaves nothing', async () => {
    const { files, answer } = await probe('/session.scope', {
      '/': { controllers: ALL, writable: false, enabled: ALL },
      '/session.scope': { controllers: ALL, writable: false, pids: [1] },
    })
    assert.ok(!answer.ok)
    assert.match(answer.detail, /limit nothing here: \/sys\/fs\/cgroup\/session\.scope: .*EACCES.*; \/sys\/fs\/cgroup: .*EACCES/)
    assert.match(answer.fix, /Delegate|delegat|chown/)
    assert.deepEqual(files.children('/sys/fs/cgroup'), ['session.scope'])
  })

  it('does not claim limits where a group has processes and so cannot give controllers to its children', async () => {
    const { answer } = await probe('/', { '/': { controllers: [], writable: true, pids: [1] } })
    assert.ok(!answer.ok)
    assert.match(answer.detail, /neither memory nor pids/)
    const partly = await probe('/', { '/': { controllers: ['pids'], writable: true, pids: [1] } })
    assert.ok(partly.answer.ok)
    assert.equal(partly.answer.detail, 'cgroup v2 (pids)')
    assert.deepEqual([...partly.answer.driver.enforces], ['process-count'])
  })
})
