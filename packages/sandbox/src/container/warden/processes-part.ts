/** Owns which processes of a container belong to what, and ending them with everything that they left behind, however quickly it multiplies. A part of the program in warden-program.ts. */
export const PROCESSES_PART = `
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

`
