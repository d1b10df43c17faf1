/**
 * The planted process: listens on every kind of socket, answers everybody with its token, counts signals, makes a database. Reads commands on
 * stdin and ends with it. Python, because Node cannot be counted on to be executable for another user.
 */
export const CANARY_PROGRAM = `
import json, os, selectors, signal, socket, sqlite3, sys
folder, abstract = sys.argv[1], sys.argv[2]
config = json.loads(sys.stdin.readline())
token = config["token"].encode()
signals = 0
def count(*_):
    global signals
    signals += 1
signal.signal(signal.SIGUSR1, count)
tcp = socket.create_server(("127.0.0.1", 0))
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
path = os.path.join(folder, "public", "host.sock")
unix = socket.socket(socket.AF_UNIX)
unix.bind(path)
os.chmod(path, 0o777)
unix.listen()
hidden = socket.socket(socket.AF_UNIX)
if sys.platform == "linux":
    hidden.bind("\\0" + abstract)
    hidden.listen()
database = os.path.join(folder, "public", "host.db")
with sqlite3.connect(database) as db:
    db.execute("create table t (token text)")
    db.execute("insert into t values (?)", (config["database"],))
os.chmod(database, 0o644)
os.chdir(os.path.join(folder, "public", "other-session"))
print(json.dumps({"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "unix": path, "database": database}), flush=True)
loop = selectors.DefaultSelector()
for listener in (tcp, unix) + ((hidden,) if sys.platform == "linux" else ()):
    loop.register(listener, selectors.EVENT_READ, "accept")
loop.register(udp, selectors.EVENT_READ, "udp")
loop.register(sys.stdin, selectors.EVENT_READ, "stdin")
while True:
    for key, _ in loop.select():
        try:
            if key.data == "accept":
                connection, _ = key.fileobj.accept()
                connection.sendall(token)
                connection.close()
            elif key.data == "udp":
                _, sender = udp.recvfrom(2048)
                udp.sendto(token, sender)
            else:
                if not sys.stdin.readline():
                    sys.exit(0)
                print(json.dumps({"signals": signals}), flush=True)
        except OSError:
            pass
`
