/** Owns the runs in a container: how one begins, how it ends, and that the next finds its program waiting. A part of the program in warden-program.ts. */
export const RUNS_PART = `
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

`
