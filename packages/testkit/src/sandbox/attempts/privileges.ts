/** Attempts to have, or to get, rights that code in a box must not have. */
import type { SandboxAttempt } from '../attempt.ts'
import { python, wins } from './programs.ts'

const guarantee = 'kernel'

/** Wins when a line of /proc/self/status is not as it must be. */
function status(id: string, title: string, condition: string, control: SandboxAttempt['control']): SandboxAttempt {
  const body = `fields = dict(line.rstrip("\\n").split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
print({name: fields.get(name) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb", "CapBnd", "NoNewPrivs", "Seccomp", "Uid")})
if ${condition}:
    won()`
  return { id, title, guarantee, lang: 'python', code: (at) => python(at, body), escaped: wins, control }
}

export const PRIVILEGE_ATTEMPTS: readonly SandboxAttempt[] = [
  status(
    'capabilities',
    'have any capability',
    'any(int(fields.get(name, "0"), 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"))',
    'weak-box',
  ),
  status(
    'capability-bounds',
    'be able to get capabilities by running a program',
    'int(fields.get("CapBnd", "0"), 16) != 0 and fields.get("NoNewPrivs") != "1"',
    'user',
  ),
  status('new-privileges', 'get rights by running a program with the setuid bit', 'fields.get("NoNewPrivs") != "1"', 'user'),
  status('no-filter', 'call the kernel without any filter', 'fields.get("Seccomp") != "2"', 'user'),
  {
    id: 'become-root',
    title: 'become root, or anybody else',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for change in (lambda: os.setresuid(0, 0, 0), lambda: os.setresgid(0, 0, 0), lambda: os.setgroups([0]), lambda: os.setuid(os.getuid() + 1)):
    try:
        change()
        won()
    except OSError as error:
        print(error)`,
      ),
    escaped: wins,
    control: 'weak-box',
  },
  {
    id: 'setuid-programs',
    title: 'run programs with the setuid bit and see whether they have rights',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `import stat, subprocess
for folder in ("/usr/bin", "/usr/sbin", "/usr/lib/openssh", "/usr/libexec"):
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            mode = os.lstat(path)
        except OSError:
            continue
        if mode.st_mode & stat.S_ISUID and os.statvfs(path).f_flag & 2 == 0 and "NoNewPrivs:\\t1" not in open("/proc/self/status").read() and mode.st_uid == 0:
            print(path)
            won()`,
      ),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'terminal-input',
    title: 'type into the terminal of whoever started it',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `import fcntl
places = [0, 1, 2]
try:
    places.append(os.open("/dev/tty", os.O_RDWR))
except OSError as error:
    print(error)
for place in places:
    try:
        fcntl.ioctl(place, 0x5412, b"x")
        won()
    except OSError as error:
        print(place, error)`,
      ),
    escaped: wins,
    control: { none: 'a control would type into the terminal of whoever runs the suite' },
  },
]
