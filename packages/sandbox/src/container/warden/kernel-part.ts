/** Owns the beginning of the first process of a container: that nobody in there can look into it, how it speaks, and what the kernel counts. A part of the program in warden-program.ts. */
export const KERNEL_PART = `
import sys, os, json, struct, select, signal, time, errno, stat, resource, ctypes, shutil
libc = ctypes.CDLL(None, use_errno=True)
SET_DUMPABLE, SET_SUBREAPER = 4, 36
# First of all: from now on nobody in here reads what this process has, or writes in its place.
libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)
for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE', 'SIGQUIT'):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
wake_read, wake_write = os.pipe()
os.set_blocking(wake_read, False)
os.set_blocking(wake_write, False)
signal.signal(signal.SIGCHLD, lambda *_: None)
signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
setup = json.loads(sys.argv[1])
os.umask(0o022)
try:
    os.chdir(setup['root'])
except OSError:
    pass
HEAD = struct.Struct('>cII')
poll = select.poll()
at = {}
runs = {}
sessions = {}
spares = {}
kept = {}

def say(kind, number, *parts):
    length = sum(map(len, parts))
    data = memoryview(b''.join((HEAD.pack(kind, number, length),) + parts))
    while data:
        data = data[os.write(1, data):]

def tell(kind, number, value, body=b''):
    head = json.dumps(value).encode()
    say(kind, number, struct.pack('>I', len(head)), head, body)

def read(path):
    try:
        with open(path, 'rb', 0) as file:
            return file.read(65536)
    except OSError:
        return b''

kept_open = {}
def look(path):
    """Files of the kernel, read over and over: opened once."""
    end = kept_open.get(path)
    if end is None:
        try:
            end = kept_open[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            end = kept_open[path] = -1
    try:
        return b'' if end == -1 else os.pread(end, 4096, 0)
    except OSError:
        return b''

def number_of(paths, key=None):
    for path in paths:
        text = look(path).split()
        if key is None and text and text[0].isdigit():
            return int(text[0])
        if key is not None and key in text[:-1]:
            return int(text[text.index(key) + 1])
    return None

GROUP = '/sys/fs/cgroup/'
def cpu_ms():
    value = number_of((GROUP + 'cpuacct/cpuacct.usage', GROUP + 'cpu,cpuacct/cpuacct.usage'))
    if value is not None:
        return value / 1e6
    value = number_of((GROUP + 'cpu.stat',), b'usage_usec')
    return None if value is None else value / 1e3

def measured():
    rooms = []
    for path in setup['rooms']:
        try:
            room = os.statvfs(path)
            rooms.append([room.f_bavail * room.f_frsize, room.f_ffree, (room.f_blocks - room.f_bfree) * room.f_frsize])
        except OSError:
            pass
    return {
        'cpuMs': cpu_ms(),
        'memory': number_of((GROUP + 'memory/memory.max_usage_in_bytes', GROUP + 'memory.peak')),
        'processes': number_of((GROUP + 'pids.peak',)),
        'oom': number_of((GROUP + 'memory/memory.oom_control', GROUP + 'memory.events'), b'oom_kill'),
        'forks': number_of((GROUP + 'pids/pids.events', GROUP + 'pids.events'), b'max'),
        'rooms': rooms,
    }

`
