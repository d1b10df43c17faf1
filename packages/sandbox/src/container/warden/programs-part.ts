/** Owns the programs that wait for code in a container: their pipes, what they say, and how they end. A part of the program in warden-program.ts. */
export const PROGRAMS_PART = `
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

`
