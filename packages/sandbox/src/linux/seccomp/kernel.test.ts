/** The filter in the kernel that runs the tests: one box for all probes, each of which says the error it got. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { boxMissing, startBox } from '../test-box.test-helper.ts'
import { seccompFilter } from './filter.ts'
import { defaultSeccompPolicy, ERRNO, type SeccompErrno } from './policy.ts'
import { type SeccompArch, seccompArch, syscallNumbers } from './syscall-table.ts'

const arch = seccompArch()
const missing = arch === undefined ? 'no table for this architecture' : boxMissing()

/** Calls each number with its arguments; -1 means that it was killed by SIGSYS. Pointers are null: what is let through fails by EFAULT at most. */
const PROBE = `
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(number, args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_ulong(a) for a in args])
    return ctypes.get_errno() if result == -1 else 0
answers = []
for number, args, fork in json.loads(sys.argv[1]):
    if not fork:
        answers.append(call(number, args))
        continue
    child = os.fork()
    if child == 0: os._exit(call(number, args) & 127)
    status = os.waitpid(child, 0)[1]
    answers.append(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
print(json.dumps(answers))
`

interface Attempt {
  readonly name: string
  readonly number?: number
  readonly values?: readonly (number | bigint)[]
  /** An error, 0 for success, or what the kernel itself says. */
  readonly answer: SeccompErrno | number
  readonly fork?: boolean
}

const PATH_POINTER = 0
const CREATE = 0x41

/** Every name of an unconditional rule, and what the conditional ones are about. */
function attempts(of: SeccompArch, sharedMemory: boolean): readonly Attempt[] {
  const denied = defaultSeccompPolicy({ sharedMemory }).rules.filter(({ when }) => when === undefined)
  const all: Attempt[] = denied.flatMap(({ calls, errno }) => calls.map((name) => ({ name, answer: errno })))
  all.push(
    ...[0x1000_0000, 0x2_0000, 0x4000_0000, 0x80].map((flag) => ({ name: 'unshare', values: [flag], answer: 'EPERM' }) as const),
    { name: 'unshare', values: [0x200], answer: 0 },
    ...[0x1000_0000, 0x2_0000, 0x4000_0000].map((flag) => ({ name: 'clone', values: [flag + 17, 0, 0, 0, 0], answer: 'EPERM' }) as const),
    { name: 'personality', values: [0x4_0000], answer: 'EPERM' },
    { name: 'personality', values: [0xffff_ffff], answer: 0 },
    { name: 'ioctl', values: [0, 0x5412, 0], answer: 'EPERM' },
    { name: 'ioctl', values: [0, (1n << 40n) + 0x5412n, 0], answer: 'EPERM' },
    { name: 'ioctl', values: [0, 0x541c, 0], answer: 'EPERM' },
    // AX25, IPX, PACKET, ALG, BLUETOOTH, VSOCK, XDP
    ...[3, 4, 17, 38, 31, 40, 44].map((family) => ({ name: 'socket', values: [family, 1, 0], answer: 'EAFNOSUPPORT' }) as const),
    { name: 'socketpair', values: [40, 1, 0, 0], answer: 'EAFNOSUPPORT' },
    { name: 'socket', values: [16, 3, 0], answer: 0 },
    { name: 'socket', values: [16, 3, 12], answer: 'EPROTONOSUPPORT' },
    { name: 'socket', values: [2, 5, 0], answer: 'ESOCKTNOSUPPORT' },
    { name: 'socket', values: [2, 6, 33], answer: 'ESOCKTNOSUPPORT' },
    { name: 'socket', values: [10, 1, 132], answer: 'EPROTONOSUPPORT' },
    { name: 'socket', values: [2, 0x8_0801, 6], answer: 0 },
    { name: 'socket', values: [1, 1, 0], answer: 0 },
    { name: 'fchmod', values: [0, 0o4755], answer: 'EPERM' },
    { name: 'fchmodat', values: [0xffff_ff9c, PATH_POINTER, 0o4755], answer: 'EPERM' },
    { name: 'openat', values: [0xffff_ff9c, PATH_POINTER, CREATE, 0o4755], answer: 'EPERM' },
    // EFAULT: the call was made, its name is null.
    { name: 'openat', values: [0xffff_ff9c, PATH_POINTER, CREATE, 0o755], answer: 14 },
    { name: 'openat', values: [0xffff_ff9c, PATH_POINTER, 0, 0o4755], answer: 14 },
    { name: 'nothing', number: 2000, answer: 'ENOSYS' },
    { name: 'memfd_create', values: [PATH_POINTER, 0], answer: sharedMemory ? 14 : 'EPERM' },
    { name: 'shmget', values: [0, 4096, 0o1600], answer: sharedMemory ? 0 : 'EPERM' },
  )
  if (of === 'x64') all.push({ name: 'getpid of x32', number: 0x4000_0000 + 39, answer: -31, fork: true })
  return all.filter(({ name, number }) => number !== undefined || syscallNumbers(of).has(name))
}

describe('the filter in the kernel', { skip: missing }, () => {
  for (const sharedMemory of [true, false]) {
    it(`answers every call as the policy says (shared memory: ${sharedMemory})`, async () => {
      assert.ok(arch)
      const list = attempts(arch, sharedMemory)
      const wire = list.map(({ name, number, values, fork }) => [
        number ?? syscallNumbers(arch).get(name) ?? -1,
        (values ?? []).map(String),
        fork ?? false,
      ])
      const code = JSON.stringify(wire).replaceAll(/"(\d+)"/g, '$1')
      const box = startBox(['/usr/bin/python3', '-I', '-S', '-c', PROBE, code], {
        seccomp: seccompFilter(arch, defaultSeccompPolicy({ sharedMemory })),
      })
      const [stdout, stderr] = await Promise.all([box.stdout, box.stderr])
      assert.equal(await box.ended, 0, stderr)
      const got: unknown = JSON.parse(stdout)
      assert.ok(Array.isArray(got))
      assert.equal(got.length, list.length)
      assert.ok(list.length > 80)
      for (const [index, { name, values, answer }] of list.entries()) {
        const wanted = typeof answer === 'number' ? answer : ERRNO[answer]
        assert.equal(got[index], wanted, `${name}(${(values ?? []).join(', ')})`)
      }
    })
  }

  it('kills calls of another architecture', { skip: arch === 'x64' ? false : 'the probe is code of x86' }, async () => {
    assert.ok(arch)
    // mov eax, 20 (getpid of i386); int 0x80; ret
    const code = `
import ctypes, mmap, os
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
child = os.fork()
if child == 0: os._exit(0 if call() > 0 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`
    const run = async (seccomp?: Uint8Array): Promise<string> => {
      const box = startBox(['/usr/bin/python3', '-I', '-S', '-c', code], seccomp === undefined ? {} : { seccomp })
      return (await box.stdout).trim()
    }
    assert.equal(await run(seccompFilter(arch)), '-31')
    // Without the filter the same code goes on, or the kernel has no such calls at all (then it dies of SIGSEGV): never of SIGSYS.
    assert.notEqual(await run(), '-31')
  })

  const programs: Readonly<Record<string, readonly string[]>> = {
    bash: ['/bin/bash', '-c', 'set -e; (echo a; sleep 0.01) | cat > f; chmod 755 f; mkdir d; ln -s f l; cp -p f g; echo ok'],
    python: [
      '/usr/bin/python3',
      '-c',
      'import subprocess, threading, socket, asyncio, multiprocessing, sqlite3; t = threading.Thread(target=int); t.start(); t.join();' +
        'asyncio.run(asyncio.sleep(0)); assert subprocess.run(["true"]).returncode == 0; socket.create_server(("127.0.0.1", 0)); print("ok")',
    ],
    node: [
      '/node/node',
      '-e',
      "const { Worker } = require('worker_threads'); require('child_process').execFileSync('true'); require('fs').writeFileSync('f', '1');" +
        "require('fs').promises.readFile('f').then(() => new Worker('', { eval: true }).once('exit', () => console.log('ok')))",
    ],
    curl: ['/bin/sh', '-c', 'echo ok > f; exec curl -s file:///tmp/f'],
  }
  for (const [name, command] of Object.entries(programs)) {
    it(`lets ${name} work`, async () => {
      assert.ok(arch)
      const box = startBox(command, { seccomp: seccompFilter(arch, defaultSeccompPolicy({ sharedMemory: false })) })
      const [stdout, stderr] = await Promise.all([box.stdout, box.stderr])
      assert.equal(await box.ended, 0, stderr)
      assert.equal(stdout.trim(), 'ok')
    })
  }
})
