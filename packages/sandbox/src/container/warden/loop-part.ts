/** Owns what the first process listens to, one thing after the other, for as long as the host is there. A part of the program in warden-program.ts. */
export const LOOP_PART = `
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
