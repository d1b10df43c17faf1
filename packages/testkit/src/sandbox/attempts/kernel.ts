/**
 * Attempts on the kernel and the machine. Everything is asked so that success does no harm: what is set is what it was, what is opened is not
 * written, what is mounted is mounted on a folder of the attempt's own and taken off again.
 */
import type { SandboxAttempt } from '../attempt.ts'
import { python, wins } from './programs.ts'

const guarantee = 'kernel'
const MACHINE = { none: 'success would need, and change, the whole machine' } as const

/** One program that wins when the call got past every check of rights. */
function reaches(id: string, title: string, body: string, control: SandboxAttempt['control'], mayBeRefused = true): SandboxAttempt {
  return {
    id,
    title,
    guarantee,
    lang: 'python',
    code: (at) => python(at, body),
    escaped: wins,
    control,
    ...(mayBeRefused ? { mayBeRefused } : {}),
  }
}

/** Wins when one of these can be opened for writing; nothing is written. */
function opensForWriting(id: string, title: string, paths: string): SandboxAttempt {
  const body = `import glob
# Settings of the box's own namespaces may be its own.
own = ("/proc/sys/kernel/sem", "/proc/sys/kernel/shm", "/proc/sys/kernel/msg", "/proc/sys/kernel/auto_msgmni", "/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/pid_max")
for pattern in (${paths}):
    for path in glob.glob(pattern):
        if path.startswith(own):
            continue
        try:
            os.close(os.open(path, os.O_WRONLY))
            print(path)
            won()
        except OSError as error:
            print(path, error.strerror)`
  return reaches(id, title, body, MACHINE)
}

export const KERNEL_ATTEMPTS: readonly SandboxAttempt[] = [
  reaches(
    'mount',
    'mount a file system',
    'os.makedirs("mnt", exist_ok=True)\nanswer = call("mount", b"none", b"mnt", b"tmpfs", 0, 0)\nreached(answer)\ncall("umount2", b"mnt", 2)',
    'weak-box',
    false,
  ),
  reaches(
    'mount-bind',
    'mount a folder elsewhere',
    'os.makedirs("mnt", exist_ok=True)\nreached(call("mount", b"/usr", b"mnt", b"", 4096, 0))\ncall("umount2", b"mnt", 2)',
    'weak-box',
    false,
  ),
  reaches(
    'mount-new-calls',
    'mount by the newer calls',
    'reached(call("fsopen", b"tmpfs", 0))\nreached(call("open_tree", -100, b"/usr", 1))',
    'weak-box',
    false,
  ),
  reaches('unmount', 'take a mount off', 'reached(call("umount2", b"/proc", 2 | 8))', 'weak-box', false),
  reaches('unshare-user', 'make a user namespace, and be root in it', 'reached(call("unshare", 0x10000000))', 'user'),
  reaches(
    'clone-user',
    'make a user namespace by clone',
    `child = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
if child > 0:
    won()
    os.waitpid(child, 0)`,
    'user',
  ),
  reaches(
    'unshare-others',
    'make namespaces of other kinds',
    'for kind in (0x00020000, 0x40000000, 0x20000000, 0x04000000, 0x08000000, 0x02000000):\n    reached(call("unshare", kind))',
    'weak-box',
    false,
  ),
  reaches(
    'join-namespaces',
    'join the namespaces of the first process',
    `for name in ("mnt", "net", "pid", "ipc", "uts", "user", "cgroup"):
    try:
        opened = os.open("/proc/1/ns/" + name, os.O_RDONLY)
    except OSError as error:
        print(name, error)
        continue
    answer = call("setns", opened, 0)
    print(name, answer)
    if answer == 0:
        won()`,
    'weak-box',
    false,
  ),
  reaches('pivot-root', 'change the root of the file system', 'reached(call("pivot_root", b".", b"."))', 'weak-box', false),
  reaches('chroot', 'change its own root', 'reached(call("chroot", b"/"))', 'weak-box', false),
  reaches(
    'device-nodes',
    'make a device',
    'try:\n    os.mknod("device", 0o20666, os.makedev(1, 5))\n    won()\nexcept OSError as error:\n    print(error)',
    MACHINE,
  ),
  reaches(
    'host-devices',
    'open devices of the host',
    `import glob
for pattern in ("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/[shv]d*", "/dev/vd*", "/dev/nvme*", "/dev/loop*", "/dev/dm-*", "/dev/fuse", "/dev/kvm", "/dev/vsock", "/dev/vhost*", "/dev/net/tun", "/dev/uinput", "/dev/input/*", "/dev/dri/*", "/dev/snapshot", "/dev/cpu/*/msr"):
    for path in glob.glob(pattern):
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            print(path)
            won()
        except OSError as error:
            print(path, error.strerror)`,
    { none: 'opening devices of the host may do something' },
  ),
  opensForWriting(
    'core-pattern',
    'have the kernel run a program when a process dies',
    '"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug", "/sys/kernel/uevent_helper", "/proc/sys/kernel/usermodehelper/*", "/proc/sys/fs/binfmt_misc/*"',
  ),
  opensForWriting('sysrq', 'write to the keys of the kernel', '"/proc/sysrq-trigger", "/proc/sys/kernel/sysrq"'),
  opensForWriting(
    'kernel-settings',
    'write settings of the kernel',
    '"/proc/sys/kernel/*", "/proc/sys/vm/*", "/proc/sys/fs/*", "/proc/irq/*/smp_affinity", "/proc/mtrr", "/sys/power/state", "/sys/module/*/parameters/*"',
  ),
  opensForWriting(
    'cgroup-escape',
    'leave the control group, or have it run a program',
    '"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/*/cgroup.procs", "/sys/fs/cgroup/*/*/cgroup.procs", "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/*/release_agent", "/sys/fs/cgroup/*/notify_on_release", "/sys/fs/cgroup/*/*/notify_on_release", "/sys/fs/cgroup/*/tasks", "/sys/fs/cgroup/*/*/tasks", "/sys/fs/cgroup/**/memory.max", "/sys/fs/cgroup/*/memory.limit_in_bytes"',
  ),
  reaches(
    'keys',
    'use the keys of the kernel',
    'print(call("keyctl", 0, -3, 1))\nif call("keyctl", 0, -3, 1) >= 0 or call("add_key", b"user", b"adjutant", b"x", 1, -2) >= 0:\n    won()',
    'user',
  ),
  reaches(
    'userfaultfd',
    'handle page faults in user space',
    'answer = call("userfaultfd", 0o2000000 | 1)\nprint(answer)\nif answer >= 0:\n    won()',
    'user',
  ),
  reaches(
    'bpf',
    'load a program into the kernel',
    'attributes = struct.pack("IIII", 2, 4, 8, 1) + bytes(112)\nreached(call("bpf", 0, ctypes.c_char_p(attributes), 128))',
    'user',
  ),
  reaches(
    'io-uring',
    'make system calls that no filter sees',
    'answer = call("io_uring_setup", 1, ctypes.c_char_p(bytes(120)))\nprint(answer)\nif answer >= 0:\n    won()',
    'user',
  ),
  reaches(
    'performance-events',
    'watch the machine by performance counters',
    'attributes = struct.pack("IIQQQQQ", 1, 112, 0, 0, 0, 0, 0x60) + bytes(64)\nanswer = call("perf_event_open", ctypes.c_char_p(attributes), 0, -1, -1, 0)\nprint(answer)\nif answer >= 0:\n    won()',
    'user',
  ),
  reaches('watch-files', 'watch every access to files', 'reached(call("fanotify_init", 0, 0))', 'weak-box'),
  reaches(
    'compare-processes',
    'learn addresses of the kernel by comparing processes',
    'answer = call("kcmp", os.getpid(), os.getpid(), 1, 0, 0)\nprint(answer)\nif answer >= 0:\n    won()',
    'user',
  ),
  reaches('kexec', 'load another kernel', 'reached(call("kexec_load", 0, 0, 0, 0))', MACHINE),
  reaches(
    'modules',
    'load and unload modules',
    'reached(call("init_module", 0, 0, b""))\nreached(call("finit_module", -1, b"", 0))\nreached(call("delete_module", b"adjutant_no_such_module", 2048))',
    MACHINE,
  ),
  reaches(
    'kernel-log',
    'read the log of the kernel',
    'room = ctypes.create_string_buffer(4096)\nanswer = call("syslog", 3, room, 4096)\nprint(answer)\nif answer > 0:\n    won()',
    'user',
  ),
  reaches(
    'clock',
    'set the clock (to what it is)',
    'now = time.time()\nreached(call("settimeofday", ctypes.c_char_p(struct.pack("qq", int(now), 0)), 0))\nreached(call("clock_settime", 0, ctypes.c_char_p(struct.pack("qq", int(now), 0))))',
    MACHINE,
  ),
  reaches(
    'host-name',
    'set the name of the machine (to what it is)',
    'name = os.uname().nodename.encode()\nreached(call("sethostname", name, len(name)))',
    'weak-box',
    false,
  ),
  reaches('swap', 'add swap space', 'reached(call("swapon", b"/nonexistent/adjutant", 0))', MACHINE),
  reaches(
    'reboot',
    'restart the machine (asks for a harmless setting with the same rights)',
    'reached(call("reboot", 0xfee1dead - (1 << 32), 672274793, 0x89abcdef, 0))',
    'weak-box',
  ),
  reaches('accounting', 'switch accounting of processes', 'reached(call("acct", b"/nonexistent/adjutant"))', MACHINE),
  reaches('ports', 'reach the ports of the machine', 'reached(call("iopl", 3))', MACHINE),
  reaches(
    'kernel-addresses',
    'learn where the kernel lies',
    `try:
    lines = [open("/proc/kallsyms").readline() for _ in range(3)]
    if int(lines[0].split()[0] or "0", 16) != 0:
        won()
except (OSError, IndexError, ValueError) as error:
    print(error)
try:
    if os.read(os.open("/proc/kcore", os.O_RDONLY), 4):
        won()
except OSError as error:
    print(error)`,
    { none: 'readable by root only, and no control runs as root' },
  ),
  reaches(
    'x32',
    'call the kernel in the x32 manner, past a filter for 64 bits',
    '_libc.syscall.restype = ctypes.c_long\nif not _arm and _libc.syscall(ctypes.c_long(0x40000000 | 39)) > 0:\n    won()',
    'user',
  ),
  reaches(
    'thirty-two-bits',
    'call the kernel in the 32-bit manner, past a filter for 64 bits',
    `import mmap
if not _arm:
    room = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # mov eax, 20 (getpid); int 0x80; ret
    room.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(start)()
    print(answer)
    if answer == os.getpid():
        won()`,
    'user',
  ),
]
