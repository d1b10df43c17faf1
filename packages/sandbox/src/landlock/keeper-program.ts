/**
 * Owns the program that starts one box and ends it whole. It runs under the box's user and nothing from a model runs in it. It takes one line
 * of JSON (what to start, within which walls), starts it, tells how it ended, and then kills whatever is left.
 *
 * Two walls, one in the other: the keeper is in an outer Landlock domain that does nothing but bound its own signals, the code in an inner one.
 * So the code cannot signal, trace or look into its keeper, and the keeper's `kill(-1)` reaches the code and all that came of it, at once and
 * however it forked, and nothing else. It also adopts orphans: when it has no child left, nothing of the box is left. It ends everything when
 * the host lets go of the descriptor that it reads, for whatever reason. Kernels without bounded signals (before 6.12): it looks its
 * descendants up, stops all until no new one is found, and kills them.
 */
import { KEEPER_CHANGES } from './keeper-changes.ts'

export const KEEPER = `
import _socket, ctypes, errno, fcntl, json, os, select, signal, stat, struct, sys
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
def checked(answer, what):
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, what + ': ' + os.strerror(number))
    return answer
def call(what, number, *given):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in given]
    return checked(LIBC.syscall(ctypes.c_long(number), *words), what)
def prctl(option, first, second=0):
    words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in (first, second, 0, 0)]
    return checked(LIBC.prctl(ctypes.c_int(option), *words), 'prctl %d' % option)
NO_NEW_PRIVS, SUBREAPER, PARENT_DEATH, SECCOMP = 38, 36, 1, 22
FILE_RIGHTS = 1 | 2 | 4 | 1 << 14 | 1 << 15
READ, CHANGE = 1 | 4 | 8, 2 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 14
REFER = 1 << 13
RIGHTS = {'read': READ, 'read-file': 4, 'device': 2 | 4 | 1 << 14 | 1 << 15, 'write': READ | CHANGE, 'refer': REFER}
def all_rights(abi):
    return (1 << 13) - 1 | (REFER if abi >= 2 else 0) | (1 << 14 if abi >= 3 else 0) | (1 << 15 if abi >= 5 else 0)
def restrict(abi, handled, net, scope, rules, pipes=()):
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    words = struct.pack('QQQ', handled, 3 if net and abi >= 4 else 0, scope if abi >= 6 else 0)
    made = call('landlock_create_ruleset', 444, ctypes.c_char_p(words[:size]), size, 0)
    for path, kind in rules:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            # What is not there, or not for this user, is not seen either; a box without its workspace is none.
            if kind == 'write':
                raise
            continue
        rights = RIGHTS[kind] & handled
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= FILE_RIGHTS
        call('landlock_add_rule ' + path, 445, made, 1, ctypes.c_char_p(struct.pack('=Qi', rights, opened)), 0)
        os.close(opened)
    for pipe in pipes:
        # So that it can be opened again by name: /dev/stderr.
        call('landlock_add_rule', 445, made, 1, ctypes.c_char_p(struct.pack('=Qi', (2 | 1 << 14) & handled, pipe)), 0)
    call('landlock_restrict_self', 446, made, 0)
    os.close(made)
${KEEPER_CHANGES}
def tell(text):
    try:
        os.write(4, text.encode() + b'\\n')
    except OSError:
        pass
def descendants():
    parents = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open('/proc/%s/stat' % name, 'rb') as file:
                    fields = file.read().rsplit(b')', 1)[1].split()
            except OSError:
                continue
            if fields[0] not in (b'Z', b'X'):
                parents.setdefault(int(fields[1]), []).append(int(name))
    found, queue = [], [os.getpid()]
    while queue:
        for child in parents.get(queue.pop(), ()):
            found.append(child)
            queue.append(child)
    return found
def signal_to(pid, number):
    try:
        os.kill(pid, number)
    except OSError:
        pass
def kill_all(bounded):
    if bounded:
        signal_to(-1, signal.SIGKILL)
        return
    stopped = set()
    while True:
        new = [pid for pid in descendants() if pid not in stopped]
        if not new:
            break
        for pid in new:
            signal_to(pid, signal.SIGSTOP)
            stopped.add(pid)
    for pid in stopped:
        signal_to(pid, signal.SIGKILL)
def finish(bounded, tries=0):
    # With no child left nothing is left: every orphan came here.
    while True:
        kill_all(bounded)
        try:
            while os.waitpid(-1, 0 if bounded else os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            os._exit(0)
        select.select([], [], [], 0.002)
def bound_signals(abi, own):
    # Without this wall a kill(-1) would end everything of this user: where it has other processes, one beside the wall is asked.
    hold, beside, witness = (*os.pipe(), 0)
    if not own:
        witness = os.fork()
        if witness == 0:
            os.close(beside)
            os.read(hold, 1)
            os._exit(0)
    # A domain that says nothing of moving files between folders forbids it.
    restrict(abi, REFER, False, 2, [('/', 'refer')])
    held = own
    if not own:
        try:
            os.kill(witness, 0)
        except PermissionError:
            held = True
    os.close(beside)
    if not own:
        os.waitpid(witness, 0)
    os.close(hold)
    return held
def start(config, abi, filter):
    failed, tell_failed = os.pipe()
    keeper = os.getpid()
    channel, ours = _socket.socketpair() if config['changes'] else (None, None)
    child = os.fork()
    if child != 0:
        os.close(tell_failed)
        if channel is None:
            return child, failed, None
        channel.close()
        sent = ours.recvmsg(1, 64)[1]
        ours.close()
        return child, failed, struct.unpack('i', sent[0][2])[0] if sent else None
    try:
        os.setsid()
        prctl(PARENT_DEATH, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(125)
        os.umask(0o022)
        os.chdir(config['folder'])
        try:
            # Where memory is full the code goes before its keeper.
            with open('/proc/self/oom_score_adj', 'w') as file:
                file.write('700')
        except OSError:
            pass
        restrict(abi, all_rights(abi), True, 3, config['rules'], (1, 2))
        if channel is not None:
            ours.close()
            listen(config['changes'], channel)
        os.dup2(tell_failed, 3, inheritable=False)
        os.closerange(4, 198)
        os.closerange(199 + (1 if config['side'] else 0), 1 << 20)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        words = ctypes.create_string_buffer(filter, len(filter))
        prctl(SECCOMP, 2, ctypes.c_char_p(struct.pack('@HP', len(filter) // 8, ctypes.addressof(words))))
        os.execve(config['command'][0], config['command'], config['env'])
    except BaseException as error:
        os.write(3, str(error).encode()[:1000])
    os._exit(125)
def main():
    given = b''
    while not given.endswith(b'\\n'):
        part = os.read(3, 1 << 20)
        if part == b'':
            os._exit(0)
        given += part
    config = json.loads(given)
    with open(config['filter'], 'rb') as file:
        filter = file.read()
    abi = min(config['abi'], call('landlock_create_ruleset', 444, 0, 0, 1))
    prctl(NO_NEW_PRIVS, 1)
    prctl(SUBREAPER, 1)
    bounded = abi >= 6 and bound_signals(abi, config['ownUser'])
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    roots = [(path.encode(), os.open(path, os.O_PATH | os.O_CLOEXEC)) for path, kind in config['rules'] if kind == 'write']
    names = {number: name for name, number in (config['changes'] or {'calls': {}})['calls'].items()}
    child, failed, listener = start(config, abi, filter)
    for number in (0, 1, 2, 198, 199):
        try:
            os.close(number)
        except OSError:
            pass
    said = os.read(failed, 1000)
    if said:
        tell('failed ' + said.decode('utf-8', 'replace').replace('\\n', ' '))
        finish(bounded)
    os.close(failed)
    tell('started %d' % child)
    watched = select.poll()
    watched.register(3, select.POLLIN)
    watched.register(woken, select.POLLIN)
    if listener is not None:
        watched.register(listener, select.POLLIN)
    while True:
        for number, event in watched.poll():
            if number == 3:
                finish(bounded)
            elif number == woken:
                os.read(woken, 512)
            elif event & select.POLLIN:
                answer(listener, names, roots)
            else:
                # Nobody is left who could ask.
                watched.unregister(listener)
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid == child:
                    tell('exit %d' % (os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)))
                    finish(bounded)
        except ChildProcessError:
            finish(bounded)
try:
    main()
except Exception as error:
    tell('failed ' + str(error).replace('\\n', ' ')[:1000])
    os._exit(125)
`
