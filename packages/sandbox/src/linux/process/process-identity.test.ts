import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { describe, it } from 'node:test'
import { identifyProcess, isRunning, signalProcess } from './process-identity.ts'
import { readProcessStat } from './process-stat.ts'

describe('signalProcess', { skip: process.platform === 'linux' ? false : 'needs Linux' }, () => {
  it('reaches the process that was meant, and no other that has its pid', async () => {
    const child = spawn('/bin/cat', { stdio: ['pipe', 'ignore', 'ignore'] })
    const closed = once(child, 'close')
    assert.ok(child.pid)
    const identity = identifyProcess(child.pid)
    assert.ok(identity)
    assert.equal(isRunning(identity), true)

    const former = { pid: identity.pid, startTime: identity.startTime - 1 }
    assert.equal(isRunning(former), false)
    assert.equal(signalProcess(former, 'SIGKILL'), 'gone')
    assert.equal(isRunning(identity), true)

    assert.equal(signalProcess(identity, 'SIGKILL'), 'sent')
    assert.deepEqual(await closed, [null, 'SIGKILL'])
    assert.equal(signalProcess(identity, 'SIGKILL'), 'gone')
    assert.equal(identifyProcess(identity.pid), undefined)
  })

  it('takes a process whose first thread has ended for running while others go on', async () => {
    const code =
      'import ctypes, threading, time; threading.Thread(target=lambda: (time.sleep(0.05), print("there", flush=True), time.sleep(60))).start();' +
      'ctypes.CDLL(None).syscall(60 if __import__("os").uname().machine == "x86_64" else 93, 0)'
    const child = spawn('/usr/bin/python3', ['-I', '-S', '-c', code], { stdio: ['ignore', 'pipe', 'ignore'] })
    const closed = once(child, 'close')
    await once(child.stdout, 'data')
    assert.ok(child.pid)
    const identity = identifyProcess(child.pid)
    assert.ok(identity)
    assert.equal(readProcessStat(child.pid)?.state, 'Z')
    assert.equal(isRunning(identity), true)
    assert.equal(signalProcess(identity, 'SIGKILL'), 'sent')
    assert.deepEqual(await closed, [null, 'SIGKILL'])
  })

  it('says when a process is out of reach', { skip: process.getuid?.() === 0 ? 'root reaches all' : false }, (context) => {
    const first = identifyProcess(1)
    assert.ok(first)
    if (statSync('/proc/1').uid === process.getuid?.()) return context.skip('the first process belongs to this user')
    // Not SIGCONT: the kernel lets that pass to any process of the sender's own session, whoever owns it, and in a small container the first
    // process is of that session. This one is ignored where it arrives.
    assert.equal(signalProcess(first, 'SIGURG'), 'denied')
  })
})
