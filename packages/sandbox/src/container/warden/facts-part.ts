/** Owns what the first process tries and finds where it is, for the host to judge. A part of the program in warden-program.ts. */
export const FACTS_PART = `
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

`
