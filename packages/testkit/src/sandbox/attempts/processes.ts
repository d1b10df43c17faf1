/** Attempts on processes of the host. */
import type { Sandbox } from '@adjutant/core/contract'
import type { Canaries, SandboxAttempt } from '../attempt.ts'
import { bash, finds, python, tokens, wins } from './programs.ts'

const guarantee = 'processes'

/** A run that still goes on when the attempt is made, and ends with its box or by itself. */
function startBeside(box: Sandbox, at: Canaries): Promise<void> {
  return new Promise((started, failed) => {
    const code = `import os, sys, time\nprint("up", flush=True)\ntime.sleep(5) # ${at.neighbour.token}`
    // What becomes of it is not asked: it is closed in the middle.
    box.run({ lang: 'python', code, env: { BESIDE: at.neighbour.token }, output: () => started() }).then(() => started(), failed)
  })
}

export const PROCESS_ATTEMPTS: readonly SandboxAttempt[] = [
  {
    id: 'process-list',
    title: 'list the processes of the host with their command lines',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'for pid in pids():\n    show("/proc/%d/cmdline" % pid)'),
    escaped: finds(tokens.argument),
    control: 'user',
  },
  {
    id: 'process-list-shell',
    title: 'list them with a shell',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, 'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < $f; echo; done 2>/dev/null; ps axww 2>/dev/null; true'),
    escaped: finds(tokens.argument),
    control: 'user',
  },
  {
    id: 'signal-host-process',
    title: 'send a signal to a process of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(at, `import signal\ntry:\n    os.kill(${at.process.pid}, signal.SIGUSR1)\nexcept OSError as error:\n    print(error)`),
    escaped: ({ signals }) => signals > 0,
    control: 'user',
  },
  {
    id: 'signal-by-descriptor',
    title: 'send a signal by a descriptor of a process of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `opened = call("pidfd_open", ${at.process.pid}, 0)\nprint(opened, opened >= 0 and call("pidfd_send_signal", opened, 10, 0, 0))`,
      ),
    escaped: ({ signals }) => signals > 0,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'trace-host-process',
    title: 'take hold of a process of the host as a debugger',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for pid in pids():
    try:
        mine = b"canary-argument" in open("/proc/%d/cmdline" % pid, "rb").read()
    except OSError:
        continue
    if mine and call("ptrace", 0x4206, pid, 0, 0) == 0:
        won()`,
      ),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'read-host-memory',
    title: 'read the memory of a process of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for pid in pids():
    try:
        mine = b"canary-argument" in open("/proc/%d/cmdline" % pid, "rb").read()
        start = int(open("/proc/%d/maps" % pid).read().split("-")[0] or "0", 16)
    except OSError:
        continue
    room = ctypes.create_string_buffer(64)
    local = struct.pack("QQ", ctypes.addressof(room), 64)
    remote = struct.pack("QQ", start, 64)
    if mine and call("process_vm_readv", pid, ctypes.c_char_p(local), 1, ctypes.c_char_p(remote), 1, 0) > 0:
        won()`,
      ),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'change-host-process',
    title: 'change the priority and the limits of a process of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `import resource
for pid in pids():
    try:
        if b"canary-argument" in open("/proc/%d/cmdline" % pid, "rb").read():
            os.setpriority(os.PRIO_PROCESS, pid, 1)
            resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
            won()
    except OSError:
        pass`,
      ),
    escaped: wins,
    control: 'user',
  },
  {
    id: 'neighbour-process',
    title: 'see what another box runs at the same time',
    guarantee,
    lang: 'python',
    neighbour: startBeside,
    code: (at) => python(at, 'for pid in pids():\n    show("/proc/%d/cmdline" % pid)\n    show("/proc/%d/environ" % pid)'),
    escaped: finds(tokens.neighbour),
    control: 'user',
  },
  {
    id: 'outlive-the-run',
    title: 'leave a daemon behind that outlives the box',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `import signal
if os.fork() == 0:
    os.setsid()
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    if os.fork() == 0:
        for number in range(3):
            os.close(number)
        os.execv("/bin/bash", ["survivor-${at.nonce}", "-c", "for i in {1..30}; do read -t 1 < <(:) ; sleep 1; done"])
    os._exit(0)`,
      ),
    escaped: (evidence, at) => evidence.exists(`process:survivor-${at.nonce}`),
    control: 'user',
    disturbs: true,
  },
]
