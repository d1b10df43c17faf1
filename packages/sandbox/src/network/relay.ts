/**
 * Owns the box's side of the network gate: a relay from a loopback port in the box to the unix socket, and the environment that leads programs
 * to it. The relay is a script for the Python of the system, so that nothing needs to be installed; it knows no rules and can grant nothing.
 */

/** Where programs in the box find the proxy. */
export const RELAY_PORT = 3_128

/**
 * Listens, goes into the background and returns: when the command has ended with 0, the port is open. Arguments: the socket, the port. One
 * thread, whatever the number of connections, because threads count as processes of the box. Each direction holds at most one buffer.
 */
export const RELAY_SCRIPT = `
import os, select, socket, sys
path, port = sys.argv[1], int(sys.argv[2])
door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
door.bind(("127.0.0.1", port))
door.listen(64)
door.setblocking(False)
if os.fork():
    os._exit(0)
os.setsid()
null = os.open("/dev/null", os.O_RDWR)
for number in range(3):
    os.dup2(null, number)
os.closerange(null + 1, door.fileno())
os.closerange(door.fileno() + 1, 256)
poll = select.poll()
poll.register(door, select.POLLIN)
ends = {}
LIMIT = 160

class End:
    def __init__(self, sock):
        self.sock, self.other, self.held, self.read, self.wrote, self.wants = sock, None, b"", True, True, 0
        sock.setblocking(False)
        ends[sock.fileno()] = self

def want(end):
    events = select.POLLIN if end.read and not end.other.held else 0
    if end.held:
        events |= select.POLLOUT
    if events == end.wants:
        return
    # Who wants nothing is not asked for: the other side's hang-up would be told without end.
    if not events:
        poll.unregister(end.sock)
    else:
        poll.register(end.sock, events)
    end.wants = events

def close(end):
    for one in (end, end.other):
        if ends.pop(one.sock.fileno(), None):
            if one.wants:
                poll.unregister(one.sock)
            one.sock.close()
    if len(ends) == LIMIT - 2:
        poll.register(door, select.POLLIN)

def shut(end):
    if not end.held and not end.other.read and end.wrote:
        end.wrote = False
        end.sock.shutdown(socket.SHUT_WR)

def send(end, data):
    try:
        end.held = data[end.sock.send(data):]
    except BlockingIOError:
        end.held = data

def work(end, events):
    other = end.other
    if events & select.POLLOUT and end.held:
        send(end, end.held)
        shut(end)
    if events & (select.POLLIN | select.POLLHUP) and end.read and not other.held:
        data = end.sock.recv(65536)
        if data:
            send(other, data)
        else:
            end.read = False
            shut(other)
    elif events & select.POLLHUP and not end.read:
        return close(end)
    if not (end.wrote or other.wrote) or events & (select.POLLERR | select.POLLNVAL):
        return close(end)
    want(end)
    want(other)

while True:
    for number, events in poll.poll():
        if number == door.fileno():
            try:
                near = door.accept()[0]
            except OSError:
                continue
            far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                far.connect(path)
                one, two = End(near), End(far)
            except OSError:
                near.close()
                far.close()
                continue
            one.other, two.other = two, one
            want(one)
            want(two)
            if len(ends) >= LIMIT:
                poll.unregister(door)
        elif number in ends:
            try:
                work(ends[number], events)
            except BlockingIOError:
                pass
            except OSError:
                close(ends[number])
`

/**
 * The command that opens the way in a box; it returns when the port is open, and fails when it cannot be opened.
 *
 * @param socketPath where the gate's socket is in the box
 * @example
 * ```ts
 * relayCommand('/run/network.sock') // ['/usr/bin/python3', '-I', '-S', '-c', …, '/run/network.sock', '3128']
 * ```
 */
export function relayCommand(socketPath: string): readonly string[] {
  return ['/usr/bin/python3', '-I', '-S', '-c', RELAY_SCRIPT, socketPath, String(RELAY_PORT)]
}

/** Environment variables of programs in the box. curl knows the lower case ones, most others both; Node asks to be told that it shall look. */
export function proxyEnvironment(): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${RELAY_PORT}`
  const own = 'localhost,127.0.0.1,::1'
  return {
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: own,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: own,
    NODE_USE_ENV_PROXY: '1',
  }
}
