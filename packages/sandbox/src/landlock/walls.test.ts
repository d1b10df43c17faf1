/** What Landlock does not know, and is closed all the same; and what is refused because it could not be held. Also run by an ordinary user. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type ErrorCode, type SandboxBackend, type SandboxReport } from '@adjutant/core/contract'
import { seccompFilter } from '../linux/index.ts'
import { landlockBackend } from './landlock-backend.ts'
import { landlockSeccompPolicy } from './seccomp-policy.ts'

let root: string
let backend: SandboxBackend
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'adjutant-landlock-walls-'))
  chmodSync(root, 0o755)
  backend = landlockBackend({ clock: systemClock, ids: randomIds })
  assert.ok((await backend.probe()).ok, (await backend.probe()).detail)
})
after(async () => {
  await backend?.[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

const isRoot = process.geteuid?.() === 0
const said = (report: SandboxReport): string => Buffer.from(report.stdout).toString() + Buffer.from(report.stderr).toString()
const refusedWith =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    AdjutantError.isInstance(error) && error.code === code

/** Each line that the code prints is something that got out. */
const PRELUDE = `
import ctypes, fcntl, os, signal, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def tries(what, attempt):
    try:
        answer = attempt()
        if isinstance(answer, int) and answer < 0:
            return
        print("got out:", what)
    except OSError:
        pass
`
const HELD = 'held\n'

describe('walls of a Landlock box', { timeout: 60_000 }, () => {
  it('keep code away from its keeper, which is of the same user', async () => {
    await using box = await backend.open({})
    const report = await box.run({
      lang: 'python',
      code: `${PRELUDE}
keeper = os.getppid()
import resource
tries("signal", lambda: os.kill(keeper, 0))
tries("stop", lambda: os.kill(keeper, signal.SIGSTOP))
tries("limits", lambda: resource.prlimit(keeper, resource.RLIMIT_CPU, (0, 0)))
tries("priority", lambda: os.setpriority(os.PRIO_PROCESS, keeper, 19))
tries("priority of the user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
tries("processors", lambda: os.sched_setaffinity(keeper, [0]))
tries("memory", lambda: open("/proc/%d/mem" % keeper))
tries("environment", lambda: open("/proc/%d/environ" % keeper))
tries("trace", lambda: libc.ptrace(0x4206, keeper, 0, 0))
tries("own descriptors of the keeper", lambda: os.fstat(3))
tries("own descriptors of the keeper", lambda: os.fstat(4))
print("held")`,
    })
    assert.equal(said(report), HELD)
    assert.equal((await box.run({ lang: 'bash', code: 'kill -9 -1; kill -9 0', session: true })).exitCode, 137)
    assert.equal(said(await box.run({ lang: 'bash', code: 'echo held', session: true })), HELD)
  })

  it('leave no socket, no message queue, no shared memory and no look at folders of the host', async () => {
    await using box = await backend.open({})
    const report = await box.run({
      lang: 'python',
      code: `${PRELUDE}
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        tries("socket %d %d" % (family, kind), lambda: socket.socket(family, kind))
tries("datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
one, other = socket.socketpair()
tries("pair", lambda: one.connect("/run/dbus/system_bus_socket"))
tries("interfaces", lambda: fcntl.ioctl(one.fileno(), 0x8912, bytearray(struct.pack("iP", 0, 0))))
one.send(b"works")
assert other.recv(5) == b"works"
tries("queue", lambda: libc.mq_open(b"/adjutant", os.O_CREAT | os.O_RDWR, 0o600, 0))
tries("segment", lambda: libc.shmget(0x414441, 4096, 0o1600))
tries("semaphore", lambda: libc.semget(0x414441, 1, 0o1600))
watcher = libc.inotify_init()
for path in (b"/tmp", b"/", b"/etc", b"/var/log"):
    tries("watch", lambda: libc.inotify_add_watch(watcher, path, 0xfff))
for path in ("/", "/tmp", "/proc", "/proc/self", "/etc", "/dev", "/home", "/root", "/run", "/sys", "..", "../.."):
    tries("list " + path, lambda: os.listdir(path))
for path in ("/etc/passwd", "/etc/hostname", "/proc/self/status", "/proc/version", "/dev/tty", "/dev/shm/x"):
    tries("open " + path, lambda: os.open(path, os.O_RDONLY | os.O_CREAT))
print("held")`,
    })
    assert.equal(said(report), HELD)
  })

  it('hold in a folder of the host, where files outside may belong to the same user', async () => {
    const folder = join(root, 'work')
    mkdirSync(folder)
    writeFileSync(join(folder, 'in.txt'), 'given')
    const outside = join(root, 'outside.txt')
    writeFileSync(outside, 'outside')
    chmodSync(outside, 0o666)
    const before = statSync(outside)
    await using box = await backend.open({ workspace: { host: folder } })
    assert.equal(box.workspace, folder)
    const report = await box.run({
      lang: 'python',
      cwd: '/workspace',
      code: `${PRELUDE}
path = ${JSON.stringify(outside)}
tries("read", lambda: open(path))
tries("cut", lambda: os.truncate(path, 0))
tries("mode", lambda: os.chmod(path, 0o600))
tries("owner", lambda: os.chown(path, os.getuid(), os.getgid()))
tries("times", lambda: os.utime(path))
tries("attribute", lambda: os.setxattr(path, "user.x", b"x"))
handle = os.open(path, os.O_PATH)
tries("mode by handle", lambda: os.fchmod(handle, 0o600))
tries("mode by link", lambda: os.chmod("/proc/self/fd/%d" % handle, 0o600))
tries("link", lambda: os.link(path, "linked"))
tries("rename", lambda: os.rename(path, "renamed"))
tries("remove", lambda: os.unlink(path))
tries("put beside", lambda: os.mkdir(path + "d"))
os.makedirs("a/b"); open("a/b/c", "w").write(open("in.txt").read()); os.rename("a/b/c", "c")
opened = os.open("c", os.O_RDWR); os.fchmod(opened, 0o755); os.utime(opened)
print("held")`,
    })
    assert.equal(said(report), HELD)
    const now = statSync(outside)
    assert.deepEqual(
      [now.mode, now.uid, now.size, now.mtimeMs, now.ctimeMs],
      [before.mode, before.uid, before.size, before.mtimeMs, before.ctimeMs],
    )
    assert.equal(Buffer.from(await box.readFile('c')).toString(), 'given')
    await box.close()
    assert.equal(statSync(folder).uid, process.geteuid?.())
  })

  for (const kind of ['the box’s own', 'one that has other files'] as const)
    it(`let code change modes and times of its own files, under a user that is ${kind}`, async () => {
      const folder = join(root, `changes-${kind.length}`)
      mkdirSync(folder)
      await using box = await backend.open(kind === 'the box’s own' ? {} : { workspace: { host: folder } })
      const code = `printf '#!/bin/sh\\necho held\\n' > run; mkdir -p d; chmod +x run d/../run; touch -d 2001-01-01 run; touch -h -d 2001-01-01 run
[ "$(stat -c %Y run)" = 978307200 ] && [ "$(stat -c %a run)" = 755 ] || echo changed nothing
chmod 700 d "$PWD/d" . "$TMPDIR"; ln -s run link; chmod 755 link; chmod 4755 run 2>/dev/null && echo set-user-id; tar cf x.tar run; tar xf x.tar -C d; ./d/run`
      assert.equal(said(await box.run({ lang: 'bash', code })), HELD)
    })

  it('change nothing outside by whatever path, however quickly it is swapped', async () => {
    const folder = join(root, 'swapped')
    mkdirSync(folder)
    const outside = join(root, 'target.txt')
    writeFileSync(outside, 'outside')
    chmodSync(outside, 0o644)
    const before = statSync(outside)
    await using box = await backend.open({ workspace: { host: folder } })
    const report = await box.run({
      lang: 'python',
      code: `${PRELUDE}
import threading, time
outside = ${JSON.stringify(outside)}
os.symlink(outside, "link"); os.symlink(os.path.dirname(outside), "up"); os.symlink("/proc/self/root" + outside, "root")
up = os.open("..", os.O_PATH); slash = os.open("/", os.O_PATH)
for path in (outside, "link", "up/target.txt", "root", "../target.txt", "d/../../target.txt", os.getcwd() + "/../target.txt", "/proc/self/cwd/../target.txt", "/proc/self/root" + outside, os.getcwd() + "x/../target.txt"):
    tries("mode " + path, lambda: os.chmod(path, 0o600))
    tries("times " + path, lambda: os.utime(path, (1, 1)))
tries("folder", lambda: os.chmod("target.txt", 0o600, dir_fd=up))
tries("root folder", lambda: os.utime(outside[1:], (1, 1), dir_fd=slash))
os.chdir("..")
tries("working folder", lambda: os.chmod("target.txt", 0o600))
os.chdir("swapped")
open("mine", "w").close()
over = time.monotonic() + 1
def swap():
    while time.monotonic() < over:
        try:
            os.symlink(outside, "new"); os.rename("new", "moving"); os.link("mine", "new"); os.rename("new", "moving")
        except OSError:
            try: os.unlink("new")
            except OSError: pass
thread = threading.Thread(target=swap); thread.start()
word = bytearray(os.fsencode(os.path.abspath("mine")).ljust(4000, b"\\0")); held = (ctypes.c_char * 4000).from_buffer(word)
def rewrite():
    while time.monotonic() < over:
        held[:len(outside)] = os.fsencode(outside); held[:8] = b"/" * 8
again = threading.Thread(target=rewrite); again.start()
changed = 0
while time.monotonic() < over:
    for path in ("moving", os.path.abspath("moving")):
        try:
            os.chmod(path, 0o600); changed += 1
        except OSError:
            pass
    libc.chmod(held, 0o600)
thread.join(); again.join()
assert changed > 0
print("held")`,
    })
    assert.equal(said(report), HELD)
    const now = statSync(outside)
    assert.deepEqual([now.mode, now.mtimeMs, now.ctimeMs], [before.mode, before.mtimeMs, before.ctimeMs])
  })

  it('keep what runs in an older kernel’s boxes from files as well', { skip: !isRoot && 'refused there, see below' }, async () => {
    for (const newestAbi of [3, 4, 5]) {
      await using old = landlockBackend({ clock: systemClock, ids: randomIds, newestAbi })
      assert.ok((await old.probe()).ok, (await old.probe()).detail)
      assert.ok(!old.enforces.has('processes') && old.enforces.has('filesystem'))
      await assert.rejects(old.open({ requires: ['processes'] }), refusedWith('SANDBOX_TOO_WEAK'))
      await using box = await old.open({})
      const code = `${PRELUDE}tries("read", lambda: open("/etc/passwd"))\ntries("cut", lambda: os.truncate("/etc/passwd", 0))\nprint("held")`
      assert.equal(said(await box.run({ lang: 'python', code })), HELD)
    }
  })
})

describe('programs in a Landlock box', { timeout: 60_000 }, () => {
  it('find their streams by name, pipes, temporary files and folders to move in', async () => {
    await using box = await backend.open({})
    const code = `echo out > /dev/stdout; echo err > /dev/stderr; cat < /dev/stdin; cat <(echo pipe); t=$(mktemp); echo temporary > $t; cat $t
mkdir -p a b; echo moved > a/f; mv a/f b/g; ln b/g b/h; ln -s b/g l; cat l; sort -r <<< $'1\n2'; head -c 2 /dev/zero | wc -c`
    for (const session of [false, true]) {
      const report = await box.run({ lang: 'bash', code, stdin: 'in\n', session })
      assert.equal(Buffer.from(report.stdout).toString(), 'out\nin\npipe\ntemporary\nmoved\n2\n1\n2\n')
      assert.equal(
        Buffer.from(report.stderr).toString(),
        session ? "err\nln: failed to create hard link 'b/h': File exists\nln: failed to create symbolic link 'l': File exists\n" : 'err\n',
      )
    }
  })
})

describe('git in a Landlock box', {
  skip: existsSync('/usr/bin/git') ? false : 'there is none',
  timeout: 60_000,
}, () => {
  it('works, whatever settings the machine has for it', async () => {
    await using box = await backend.open({
      env: { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
    })
    const report = await box.run({
      lang: 'bash',
      code: 'git init -q r && cd r && echo x > f && git add f && git commit -qm made && git log --format=%s',
    })
    assert.equal(said(report).replace(/^hint: .*\n/gm, ''), 'made\n')
  })
})

describe('what a Landlock box is not made for', () => {
  it('refuses hosts, mounts elsewhere, and kernels whose boxes could not be held or ended', async () => {
    await assert.rejects(backend.open({ network: { allow: ['example.com'] } }), refusedWith('SANDBOX_TOO_WEAK'))
    await assert.rejects(backend.open({ mounts: [{ host: '/usr', path: '/inputs' }] }), refusedWith('UNSUPPORTED'))
    await assert.rejects(backend.open({ requires: ['disk'] }), refusedWith('SANDBOX_TOO_WEAK'))
    for (const newestAbi of isRoot ? [0, 1, 2] : [0, 2, 5]) {
      await using old = landlockBackend({ clock: systemClock, ids: randomIds, newestAbi, controlGroups: false })
      const probe = await old.probe()
      assert.equal(probe.ok, false)
      assert.ok(probe.fix)
      await assert.rejects(old.open({}), refusedWith('SANDBOX_UNAVAILABLE'))
    }
  })

  it('refuses a folder that its user could not reach', { skip: !isRoot }, async () => {
    const closed = join(root, 'closed')
    mkdirSync(join(closed, 'work'), { recursive: true })
    chmodSync(closed, 0o700)
    await assert.rejects(backend.open({ workspace: { host: join(closed, 'work') } }), refusedWith('SANDBOX_UNAVAILABLE'))
    assert.equal(statSync(join(closed, 'work')).uid, 0)
  })

  it('has filters for both architectures', () => {
    for (const arch of ['x64', 'arm64'] as const)
      for (const sharedUser of [true, false])
        for (const memoryHeld of [true, false])
          assert.ok(seccompFilter(arch, landlockSeccompPolicy({ sharedUser, memoryHeld })).length < 8 * 4096)
  })
})
