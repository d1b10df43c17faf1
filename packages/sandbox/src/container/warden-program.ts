/**
 * Owns the program that is the first process of a container, and all that the host speaks to in it: it starts what runs, passes its output on with
 * the number of the run before it, ends it with everything that it left behind, reads and writes files, and tells what the kernel holds. It runs
 * for as long as its input is open, so a container ends with its host. Nothing else in the container can look into it, write to it or end it: the
 * first process is safe from signals, and what it is cannot be dumped.
 *
 * A message is a letter, a number and a length, and then so many bytes; see warden-line.ts for what is said.
 */
export const WARDEN_PROGRAM = `
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

def number_of(paths, key=None):
    for path in paths:
        text = read(path).decode('latin1').split()
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
    value = number_of((GROUP + 'cpu.stat',), 'usage_usec')
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
        'oom': number_of((GROUP + 'memory/memory.oom_control', GROUP + 'memory.events'), 'oom_kill'),
        'forks': number_of((GROUP + 'pids/pids.events', GROUP + 'pids.events'), 'max'),
        'rooms': rooms,
    }

def table():
    found = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            text = read('/proc/' + name + '/stat').decode('latin1')
            fields = text[text.rfind(')') + 2:].split()
            if len(fields) > 19:
                found[int(name)] = (int(fields[1]), fields[0], fields[19])
    return found

def members(roots, inside):
    """Those that come from one of the roots, or all the others. What has ended already counts for neither."""
    there = table()
    live = {pid for pid, started in roots.items() if pid in there and there[pid][2] == started}
    found = []
    for pid, (parent, state, started) in there.items():
        if pid == 1 or state in 'ZX':
            continue
        up, steps = pid, 0
        while up not in live and up > 1 and steps < 4096:
            up, steps = there.get(up, (0, '', ''))[0], steps + 1
        if (up in live) == inside:
            found.append(pid)
    return found

def started(pid):
    there = table().get(pid)
    return {} if there is None else {pid: there[2]}

def signal_all(pids, which):
    for pid in pids:
        try:
            os.kill(pid, which)
        except OSError:
            pass

def end_all(victims):
    # Held first, until nobody new has come: what forks quickly enough would otherwise never end.
    seen = set()
    for _ in range(40):
        now = victims()
        fresh = [pid for pid in now if pid not in seen]
        if not fresh:
            break
        seen.update(fresh)
        signal_all(fresh, signal.SIGSTOP)
    for turn in range(400):
        now = victims()
        if not now:
            return
        if turn == 200:
            signal_all([-1], signal.SIGKILL)
        signal_all(now, signal.SIGKILL)
        reap()
        time.sleep(0.0005 if turn < 20 else 0.005)

def safe():
    roots = dict(kept)
    for proc in list(sessions.values()) + list(spares.values()):
        roots.update(proc.root)
    return roots

class Proc:
    """A program that waits for code on a pipe. One that stays tells on another pipe how runs ended."""
    def __init__(self, plan, stays):
        self.stays, self.key, self.run, self.status, self.out = stays, plan['key'], None, None, b''
        ends = []
        def pipe():
            pair = os.pipe()
            ends.extend(pair)
            return pair
        try:
            code, out, err = pipe(), pipe(), pipe()
            side = pipe() if stays else None
            null = os.open('/dev/null', os.O_RDWR)
            ends.append(null)
            wanted = [(null, 0), (out[1], 1), (err[1], 2), (code[0], 198)] + ([(side[1], 199)] if stays else [])
            if stays:
                self.pid = os.fork()
                if self.pid == 0:
                    try:
                        os.setsid()
                        # What its children leave behind is its own: so it can be told from what others left behind.
                        libc.prctl(SET_SUBREAPER, 1, 0, 0, 0)
                        for name in ('SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE', 'SIGQUIT', 'SIGCHLD'):
                            signal.signal(getattr(signal, name), signal.SIG_DFL)
                        for source, target in wanted:
                            os.dup2(source, target, inheritable=True)
                        os.execve(plan['argv'][0], plan['argv'], plan['env'])
                    finally:
                        os._exit(127)
            else:
                self.pid = os.posix_spawn(
                    plan['argv'][0], plan['argv'], plan['env'], setsid=True,
                    file_actions=[(os.POSIX_SPAWN_DUP2, source, target) for source, target in wanted],
                    setsigdef=[signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT])
        except BaseException:
            for end in ends:
                os.close(end)
            raise
        for end in [code[0], out[1], err[1], null] + ([side[1]] if stays else []):
            os.close(end)
        self.root = started(self.pid)
        self.code, self.ends, self.told = code[1], {out[0]: b'O', err[0]: b'E'}, b''
        self.side = side[0] if stays else None
        for end in list(self.ends) + [self.code] + ([self.side] if stays else []):
            os.set_blocking(end, False)
        for end in self.ends:
            at[end] = self.output
            poll.register(end, select.POLLIN)
        if stays:
            at[self.side] = self.answer
            poll.register(self.side, select.POLLIN)
        try:
            # Whatever takes the memory ends before this process does.
            with open('/proc/%d/oom_score_adj' % self.pid, 'w') as file:
                file.write('1000')
        except OSError:
            pass
        for name, value in plan['limits'].items():
            try:
                limit = getattr(resource, 'RLIMIT_' + name)
                hard = resource.getrlimit(limit)[1]
                most = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.prlimit(self.pid, limit, (most, most))
            except (OSError, ValueError):
                pass

    def give(self, frame):
        self.out = memoryview(frame)
        at[self.code] = self.push
        poll.register(self.code, select.POLLOUT)
        self.push(self.code, 0)

    def push(self, end, events):
        try:
            while self.out:
                self.out = self.out[os.write(end, self.out[:65536]):]
        except BlockingIOError:
            return
        except OSError:
            self.out = b''
        poll.unregister(end)
        at.pop(end, None)
        if not self.stays:
            os.close(end)
            self.code = None

    def output(self, end, events):
        try:
            data = os.read(end, 65536)
        except BlockingIOError:
            return None
        except OSError:
            data = b''
        if not data:
            self.shut(end)
        elif self.run is not None:
            say(self.ends[end], self.run.number, data)
        return data

    def shut(self, end):
        poll.unregister(end)
        at.pop(end, None)
        self.ends.pop(end, None)
        os.close(end)

    def drain(self, most=64):
        for end in list(self.ends):
            for _ in range(most):
                if not self.output(end, 0):
                    break

    def answer(self, end, events):
        try:
            data = os.read(end, 4096)
        except OSError:
            data = b''
        if not data:
            poll.unregister(end)
            at.pop(end, None)
            os.close(end)
            self.side = None
            return
        parts = (self.told + data)[-4096:].split(b'\\0')
        self.told = parts.pop()
        for part in parts:
            word, _, status = part.rpartition(b' ')
            run = self.run
            if run is not None and word == run.word and status.isdigit() and len(status) < 4:
                self.drain()
                run.over({'exitCode': int(status)})

    def ended(self, status):
        self.status = status
        if self.stays:
            if sessions.get(self.key) is self:
                del sessions[self.key]
        elif spares.get(self.key) is self:
            del spares[self.key]
        run = self.run
        self.drain()
        if run is None:
            self.close()
            return
        # Whoever was its child is nobody's now, as whatever a run by itself leaves behind.
        end_all(lambda: members(safe(), False))
        self.drain(4096)
        run.over({'exitCode': os.WEXITSTATUS(status)} if os.WIFEXITED(status) else {'signal': os.WTERMSIG(status)})

    def close(self):
        for end in list(self.ends):
            self.shut(end)
        for end in (self.code, self.side):
            if end is not None:
                if at.pop(end, None) is not None:
                    poll.unregister(end)
                os.close(end)
        self.code = self.side = None

    def end(self):
        roots = self.root
        if self.stays:
            end_all(lambda: members(roots, True))
        else:
            end_all(lambda: members(safe(), False))

class Run:
    def __init__(self, number, plan, proc):
        self.number, self.plan, self.proc = number, plan, proc
        self.word, self.limit = plan['word'].encode(), None
        self.before = measured()

    def over(self, how):
        proc = self.proc
        runs.pop(self.number, None)
        proc.run = None
        if not proc.stays:
            proc.close()
        if self.plan['stdin'] is not None:
            try:
                os.unlink(self.plan['stdin'])
            except OSError:
                pass
        alive = proc.stays and proc.status is None
        tell(b'X', self.number, {'how': how, 'limit': self.limit, 'alive': alive, 'before': self.before, 'after': measured()})
        prepare(self.plan)

def prepare(plan):
    """The next run of this kind finds its program waiting."""
    key = plan['key']
    if plan['spare'] and not plan['stays'] and key not in spares:
        try:
            spares[key] = Proc(plan, False)
        except OSError:
            pass

def begin(number, plan, stdin, frame):
    stays, key, fresh = plan['stays'], plan['key'], 'waiting'
    try:
        if plan['stdin'] is not None:
            end = os.open(plan['stdin'], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            try:
                while stdin:
                    stdin = stdin[os.write(end, stdin):]
            finally:
                os.close(end)
        proc = sessions.get(key) if stays else spares.pop(key, None)
        if proc is None:
            proc, fresh = Proc(plan, stays), 'new'
            if stays:
                sessions[key] = proc
    except OSError as error:
        if plan['stdin'] is not None:
            try:
                os.unlink(plan['stdin'])
            except OSError:
                pass
        tell(b'X', number, {'failed': errno.errorcode.get(error.errno, '?'), 'said': str(error)})
        return
    run = Run(number, plan, proc)
    proc.run = run
    runs[number] = run
    tell(b'S', number, {'fresh': fresh})
    proc.give(frame)

def stop(number, limit=None):
    run = runs.get(number)
    if run is not None:
        run.limit = limit
        run.proc.end()
        reap()

def reap():
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        dead.append((pid, status))

dead = []
def bury():
    while dead:
        pid, status = dead.pop(0)
        for proc in [run.proc for run in runs.values()] + list(sessions.values()) + list(spares.values()):
            if proc.pid == pid and proc.status is None:
                proc.ended(status)
                break

def serve(number, plan):
    """Starts what has to be there for as long as the container, and counts everything that is there then as the container's own."""
    pid = os.posix_spawn(plan['argv'][0], plan['argv'], plan['env'])
    _, status = os.waitpid(pid, 0)
    kept.update({pid: entry[2] for pid, entry in table().items() if pid != 1})
    tell(b'F', number, {} if status == 0 else {'failed': 'ENOEXEC'})

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

def linked(part, folder):
    try:
        return stat.S_ISLNK(os.lstat(part, dir_fd=folder).st_mode)
    except OSError:
        return False

def enter(parts, make):
    folder = os.open(setup['root'], FOLDER)
    try:
        for part in parts:
            try:
                inner = os.open(part, FOLDER, dir_fd=folder)
            except FileNotFoundError:
                if not make:
                    raise
                try:
                    os.mkdir(part, 0o755, dir_fd=folder)
                except FileExistsError:
                    pass
                inner = os.open(part, FOLDER, dir_fd=folder)
            except NotADirectoryError:
                if linked(part, folder):
                    raise OSError(errno.ELOOP, 'a link')
                raise
            os.close(folder)
            folder = inner
        return folder
    except BaseException:
        os.close(folder)
        raise

def read_file(number, ask):
    folder = enter(ask['parts'][:-1], False)
    try:
        end = os.open(ask['parts'][-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        there = os.fstat(end)
        if not stat.S_ISREG(there.st_mode) or there.st_nlink != 1:
            tell(b'F', number, {'plain': stat.S_ISDIR(there.st_mode)})
            return
        parts, left = [], ask['max'] + 1
        while left > 0:
            part = os.read(end, min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        if left <= 0:
            tell(b'F', number, {'large': max(there.st_size, ask['max'] + 1)})
            return
        tell(b'F', number, {}, b''.join(parts))
    finally:
        os.close(end)

def write_file(number, ask, data):
    folder = enter(ask['parts'][:-1], True)
    name, other = ask['parts'][-1], ask['word']
    try:
        try:
            there = os.lstat(name, dir_fd=folder)
        except FileNotFoundError:
            there = None
        if there is not None and (not stat.S_ISREG(there.st_mode) or there.st_nlink != 1):
            tell(b'F', number, {'plain': stat.S_ISDIR(there.st_mode)})
            return
        mode = 0o644 if there is None else stat.S_IMODE(there.st_mode) & 0o777
        end = os.open(other, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            try:
                while data:
                    data = data[os.write(end, data):]
                os.fchmod(end, mode)
            finally:
                os.close(end)
            # A link that came meanwhile is replaced, not followed.
            os.rename(other, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            try:
                os.unlink(other, dir_fd=folder)
            except OSError:
                pass
            raise
        tell(b'F', number, {})
    finally:
        os.close(folder)

def list_files(number, ask):
    found, most = [], ask['max']
    def walk(folder, above, depth):
        for name in sorted(os.listdir(folder)):
            there = os.lstat(name, dir_fd=folder)
            path = above + [name]
            plain = stat.S_ISREG(there.st_mode) and there.st_nlink == 1
            kind = 'file' if plain else 'folder' if stat.S_ISDIR(there.st_mode) else 'other'
            shown = '/'.join(path).encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')
            found.append([shown, kind, there.st_size if plain else 0, int(there.st_mtime * 1000)])
            if len(found) > most:
                return False
            if kind == 'folder' and depth < 64:
                try:
                    inner = os.open(name, FOLDER, dir_fd=folder)
                except OSError:
                    continue
                try:
                    if not walk(inner, path, depth + 1):
                        return False
                finally:
                    os.close(inner)
        return True
    folder = enter(ask['parts'], False)
    try:
        whole = walk(folder, ask['parts'], len(ask['parts']))
    finally:
        os.close(folder)
    tell(b'F', number, {} if whole else {'many': most}, json.dumps(found if whole else []).encode())

def facts():
    mounts = []
    for line in read('/proc/self/mountinfo').decode('utf-8', 'replace').splitlines():
        left, _, right = line.partition(' - ')
        path, options = left.split()[4:6]
        mounts.append([path, right.split()[0], 'ro' in options.split(',') or not os.access(path, os.W_OK)])
    def tried(what):
        pid = os.fork()
        if pid == 0:
            code = 0
            try:
                code = 1 if what() else 0
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    def vsock():
        import socket
        socket.socket(40, socket.SOCK_STREAM)
        return True
    def total(path):
        try:
            room = os.statvfs(path)
            return [path, room.f_blocks * room.f_frsize, room.f_files]
        except OSError:
            return [path, 0, 0]
    def identity(path):
        try:
            there = os.stat(path)
            return '%d %d' % (there.st_ino, there.st_mode)
        except OSError:
            return ''
    status = read('/proc/self/status').decode('latin1')
    word = lambda name: next((line.split()[1] for line in status.splitlines() if line.startswith(name + ':')), '')
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    return {
        'pid': os.getpid(),
        'uid': os.getuid(),
        'python': '.'.join(map(str, sys.version_info[:3])),
        'programs': {name: shutil.which(name, path=setup['path']) for name in ('bash', 'python3', 'node')},
        'capabilities': word('CapBnd').strip('0') + word('CapEff').strip('0'),
        'noNewPrivileges': word('NoNewPrivs') == '1',
        'seccomp': word('Seccomp') == '2',
        'nested': tried(lambda: libc.unshare(0x10000000) == 0),
        'vsock': tried(vsock),
        'interfaces': [line.split(':')[0].strip() for line in read('/proc/net/dev').decode('latin1').splitlines()[2:]],
        'mounts': mounts,
        'rooms': [total(path) for path in setup['rooms']],
        'memory': number_of((GROUP + 'memory/memory.limit_in_bytes', GROUP + 'memory.max')),
        'pids': number_of((GROUP + 'pids/pids.max', GROUP + 'pids.max')),
        'nproc': 1 << 20 if hard == resource.RLIM_INFINITY else hard,
        'measured': measured(),
        'identities': [identity(path) for path in setup['identities']],
    }

FILES = {b'G': lambda number, ask, data: read_file(number, ask), b'W': write_file, b'D': lambda number, ask, data: list_files(number, ask)}

def take(kind, number, body):
    if kind == b'K':
        return stop(number)
    size = struct.unpack_from('>I', body)[0]
    ask, data = json.loads(body[4:4 + size]), body[4 + size:]
    if kind == b'R':
        return begin(number, ask, data[:ask['stdinLength']], data[ask['stdinLength']:])
    try:
        if kind == b'B':
            serve(number, ask)
        else:
            FILES[kind](number, ask, data)
    except OSError as error:
        tell(b'F', number, {'failed': errno.errorcode.get(error.errno, '?'), 'said': str(error)})

came = bytearray()
# Some daemons hand on what was said to them: nothing counts before this word.
sync = setup['sync'].encode()
def hear(end, events):
    global sync
    data = os.read(0, 1 << 18)
    if not data:
        # The host is gone.
        os._exit(0)
    came.extend(data)
    if sync:
        begin = came.find(sync)
        if begin == -1:
            return
        del came[:begin + len(sync)]
        sync = b''
    while len(came) >= HEAD.size:
        kind, number, length = HEAD.unpack_from(came)
        if len(came) < HEAD.size + length:
            return
        body = bytes(came[HEAD.size:HEAD.size + length])
        del came[:HEAD.size + length]
        take(kind, number, body)

def woken(end, events):
    try:
        os.read(wake_read, 4096)
    except BlockingIOError:
        pass
    reap()

at[0], at[wake_read] = hear, woken
poll.register(0, select.POLLIN)
poll.register(wake_read, select.POLLIN)
tell(b'H', 0, facts())
while True:
    for end, events in poll.poll(50 if runs else None):
        if end in at:
            at[end](end, events)
    bury()
    for run in list(runs.values()):
        most = run.plan['cpuMs']
        used, before = cpu_ms(), run.before['cpuMs']
        if run.limit is None and used is not None and before is not None and used - before > most:
            stop(run.number, 'cpu')
    bury()
`
