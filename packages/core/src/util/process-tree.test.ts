import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../../test/fixtures/process/until.ts'
import { isJsonObject } from '../contract/json.ts'
import { watchdogPid } from './process-guard.ts'
import { readProcess, readProcessTable, readTreeMarker } from './process-table.ts'
import { ProcessTree } from './process-tree.ts'
import { systemClock } from './system-clock.ts'

const env = { PATH: process.env.PATH ?? '' }
const linuxOnly = process.platform === 'linux' ? false : 'needs /proc'

function start(script: string): ProcessTree {
  return new ProcessTree({ command: 'sh', args: ['-c', script], env }, systemClock)
}

async function ready(tree: ProcessTree): Promise<void> {
  await once(tree.child.stdout, 'data')
}

function isAlive(pid: number): boolean {
  const entry = readProcess(pid)
  return entry !== undefined && !entry.dead
}

function marked(marker: string): readonly number[] {
  return readProcessTable()
    .filter((entry) => !entry.dead && readTreeMarker(entry.pid) === marker)
    .map((entry) => entry.pid)
}

describe('process tree', () => {
  it('ends with the end of stdin where that is enough, with status', async () => {
    const tree = start('echo ready; cat > /dev/null; exit 3')
    await ready(tree)
    assert.deepEqual(await tree.stop(), [])
    assert.deepEqual(tree.exit, { code: 3, signal: null })
  })

  it('takes grandchildren down that do not hear the end of stdin', async () => {
    const tree = start('sleep 600 & sleep 601 & echo ready; wait')
    await ready(tree)
    assert.equal(tree.members().length, 3)
    assert.deepEqual(await tree.stop(), [])
    assert.deepEqual(tree.members(), [])
  })

  it('takes down what left the group and the session, and what lost its parent', { skip: linuxOnly }, async () => {
    const tree = start('setsid sh -c "sleep 600 & echo ready; wait" & (sleep 602 &); cat > /dev/null; wait')
    await ready(tree)
    await until(() => tree.members().length >= 5, 'all five processes run')
    assert.deepEqual(await tree.stop(), [])
    assert.deepEqual(marked(tree.marker), [])
  })

  it('takes down what cleared its environment, left the session and lost its parent after it was seen', { skip: linuxOnly }, async () => {
    const tree = start('env -i PATH="$PATH" setsid sleep 603 & echo ready; read line; exit 0')
    await ready(tree)
    await until(() => tree.members().length === 2, 'both run')
    const [hidden] = tree.members().filter((pid) => pid !== tree.child.pid)
    assert.ok(hidden !== undefined)
    tree.child.stdin.write('\n')
    await until(() => tree.exit !== undefined, 'the parent ends')
    assert.ok(isAlive(hidden))
    assert.deepEqual(await tree.stop(), [])
    assert.ok(!isAlive(hidden))
  })

  it('kills what ignores the end of stdin and SIGTERM', async () => {
    const tree = start('trap "" TERM HUP INT; echo ready; while :; do sleep 1; done')
    await ready(tree)
    assert.deepEqual(await tree.stop(), [])
    assert.equal(tree.exit?.signal, 'SIGKILL')
  })

  it('may be stopped twice at once and after its end', async () => {
    const tree = start('echo ready; cat > /dev/null')
    await ready(tree)
    assert.deepEqual(await Promise.all([tree.stop(), tree.stop()]), [[], []])
    assert.deepEqual(await tree.stop(), [])
  })

  it('tells of a command that cannot be started, and has nothing to stop', async () => {
    const tree = new ProcessTree({ command: '/no/such/command', args: [], env }, systemClock)
    const [error] = await once(tree.child, 'error')
    assert.match(String(error), /ENOENT/)
    assert.deepEqual(tree.members(), [])
    assert.deepEqual(await tree.stop(), [])
  })

  it('has a watchdog only while there are trees', async () => {
    const tree = start('echo ready; cat > /dev/null')
    await ready(tree)
    const pid = watchdogPid()
    assert.ok(pid !== undefined && isAlive(pid))
    await tree.stop()
    assert.equal(watchdogPid(), undefined)
    await until(() => !isAlive(pid), 'the watchdog ends')
  })
})

const STUBBORN = 'trap "" TERM HUP INT; echo ready; while :; do sleep 1; done'
const FAMILY = 'sleep 600 & setsid sleep 601 & echo ready; wait'
const HOST = fileURLToPath(new URL('../../test/fixtures/process/host.ts', import.meta.url))

interface Host {
  readonly child: ChildProcess
  readonly markers: readonly string[]
  readonly watchdog: number
}

async function startHost(end: 'wait' | 'exit', ...scripts: readonly string[]): Promise<Host> {
  const child = spawn(process.execPath, [...conditions(), HOST, end, ...scripts], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const said: unknown = JSON.parse(String(line))
  assert.ok(isJsonObject(said) && Array.isArray(said.markers) && typeof said.watchdog === 'number')
  return { child, markers: said.markers.map(String), watchdog: said.watchdog }
}

/** Whether a process has a handler for a signal (proc(5), SigCgt). Node has some of its own from the start, but none for SIGQUIT. */
function catches(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0'
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
}

/** The flags of this run that a process started from it needs to find the sources. */
function conditions(): readonly string[] {
  return process.execArgv.filter((flag) => flag.startsWith('--conditions') || flag.startsWith('--disable-warning'))
}

describe('a host that ends without stopping its trees', { skip: linuxOnly }, () => {
  it('leaves nothing after kill -9, and its watchdog goes too', async () => {
    const host = await startHost('wait', STUBBORN, FAMILY, 'echo ready; cat > /dev/null')
    assert.ok(host.markers.every((marker) => marked(marker).length > 0))
    host.child.kill('SIGKILL')
    await until(() => host.markers.every((marker) => marked(marker).length === 0), 'all trees are gone')
    await until(() => !isAlive(host.watchdog), 'the watchdog ends')
  })

  it('leaves nothing after kill -9 although everything else was told to end first', async () => {
    const host = await startHost('wait', STUBBORN)
    await until(() => catches(host.watchdog, 3), 'the watchdog is up')
    for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.kill(host.watchdog, signal)
    host.child.kill('SIGKILL')
    await until(() => host.markers.every((marker) => marked(marker).length === 0), 'all trees are gone')
    await until(() => !isAlive(host.watchdog), 'the watchdog ends')
  })

  it('leaves nothing after a plain exit', async () => {
    const host = await startHost('exit', STUBBORN, FAMILY)
    await until(() => host.child.exitCode === 0, 'the host ends')
    await until(() => host.markers.every((marker) => marked(marker).length === 0), 'all trees are gone')
  })

  it('starts a watchdog anew that was killed', async () => {
    const host = await startHost('wait', STUBBORN)
    assert.ok(host.child.stdout)
    const told = once(host.child.stdout, 'data')
    process.kill(host.watchdog, 'SIGKILL')
    // Told by the host, once the second one knows of all trees: a host that is killed before that has left them.
    const [line] = await told
    const said: unknown = JSON.parse(String(line))
    assert.ok(isJsonObject(said) && typeof said.watchdog === 'number')
    assert.notEqual(said.watchdog, host.watchdog)
    host.child.kill('SIGKILL')
    await until(() => host.markers.every((marker) => marked(marker).length === 0), 'all trees are gone')
  })
})
