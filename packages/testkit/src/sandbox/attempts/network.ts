/** Attempts to reach anybody: the host's own services first. The boxes under attack are opened without any network. */
import type { SandboxAttempt } from '../attempt.ts'
import { bash, finds, python, quoted, tokens, wins } from './programs.ts'

const guarantee = 'network'

export const NETWORK_ATTEMPTS: readonly SandboxAttempt[] = [
  {
    id: 'loopback-tcp',
    title: 'connect to a service on the loopback of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for name in ("127.0.0.1", "localhost", "127.1", "0.0.0.0", "::ffff:127.0.0.1"):
    try:
        print(socket.create_connection((name, ${at.service.tcpPort}), 2).recv(200))
    except OSError as error:
        print(error)`,
      ),
    escaped: finds(tokens.service),
    control: 'user',
  },
  {
    id: 'loopback-tcp-shell',
    title: 'connect to it with a shell alone',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `exec 9<>/dev/tcp/127.0.0.1/${at.service.tcpPort} && cat <&9; true`),
    escaped: finds(tokens.service),
    control: 'user',
  },
  {
    id: 'loopback-udp',
    title: 'exchange datagrams with a service of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(1)
try:
    s.sendto(b"hello", ("127.0.0.1", ${at.service.udpPort}))
    print(s.recv(200))
except OSError as error:
    print(error)`,
      ),
    escaped: finds(tokens.service),
    control: 'user',
  },
  {
    id: 'unix-socket-by-path',
    title: 'connect to a socket file of the host',
    guarantee: 'filesystem',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `s = socket.socket(socket.AF_UNIX)\ntry:\n    s.connect(${quoted(at.service.unixPath)})\n    print(s.recv(200))\nexcept OSError as error:\n    print(error)`,
      ),
    escaped: finds(tokens.service),
    control: 'user',
  },
  {
    id: 'known-sockets',
    title: 'connect to the sockets of container engines and the system bus',
    guarantee: 'filesystem',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(path)
        won()
    except OSError as error:
        print(path, error)`,
      ),
    escaped: wins,
    control: { none: 'a control would talk to real services of the host' },
  },
  {
    id: 'abstract-socket',
    title: 'connect to a socket of the host that has a name without a file',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `s = socket.socket(socket.AF_UNIX)
try:
    s.connect("\\0${at.service.abstractName}")
    print(s.recv(200))
except OSError as error:
    print(error)
show("/proc/net/unix")`,
      ),
    escaped: ({ text }, at) => text.includes(at.service.token) || text.includes(`@${at.service.abstractName}`),
    control: 'user',
  },
  {
    id: 'see-host-connections',
    title: 'see which ports of the host listen',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `text = open("/proc/net/tcp").read() if os.path.exists("/proc/net/tcp") else ""\nif ":%04X " % ${at.service.tcpPort} in text:\n    won()`,
      ),
    escaped: wins,
    control: 'user',
  },
  {
    id: 'see-host-interfaces',
    title: 'see the network interfaces of the host',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        'names = [name for _, name in socket.if_nameindex()]\nprint(names)\nif [name for name in names if name not in ("lo", "sit0", "tunl0", "ip6tnl0", "gre0", "gretap0", "erspan0", "ip_vti0", "ip6_vti0", "ip6gre0", "teql0", "dummy0")]:\n    won()',
      ),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'reach-beyond',
    title: 'reach the internet and the address where clouds keep credentials',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for place in (("169.254.169.254", 80), ("1.1.1.1", 53), ("8.8.8.8", 443), ("2606:4700:4700::1111", 53)):
    try:
        socket.create_connection(place, 1)
        won()
    except OSError as error:
        print(place, error)`,
      ),
    escaped: wins,
    control: { none: 'a control would really go there' },
  },
  {
    id: 'names',
    title: 'resolve a name, so that data leaves by name servers',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(at, 'try:\n    print(socket.getaddrinfo("example.com", 80))\n    won()\nexcept OSError as error:\n    print(error)'),
    escaped: wins,
    control: { none: 'a control would ask real name servers' },
  },
  {
    id: 'vsock',
    title: 'open a socket to the machine that runs this virtual machine',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'try:\n    socket.socket(40, socket.SOCK_STREAM)\n    won()\nexcept OSError as error:\n    print(error)'),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'packet-sockets',
    title: 'open raw and packet sockets',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for family, kind, protocol in ((17, 3, 3), (17, 2, 3), (2, 3, 1), (2, 3, 255), (10, 3, 58)):
    try:
        socket.socket(family, kind, protocol)
        won()
    except OSError as error:
        print(family, kind, error)`,
      ),
    escaped: wins,
    control: 'weak-box',
  },
  {
    id: 'rare-sockets',
    title: 'open sockets of rare families, whose code in the kernel is seldom looked at',
    guarantee: 'kernel',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for family in range(1, 46):
    if family in (1, 2, 10, 16):
        continue
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind).close()
            print("family", family)
            won()
        except OSError:
            pass`,
      ),
    escaped: wins,
    control: 'user',
    mayBeRefused: true,
  },
  {
    id: 'netlink',
    title: 'change the network or listen to the kernel by netlink',
    guarantee: 'kernel',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for protocol in (2, 6, 9, 12, 15, 16):
    try:
        s = socket.socket(16, 3, protocol)
        if protocol in (6, 9, 12):
            s.bind((0, 1))
            s.settimeout(1)
            # Asks nftables for its generation: only who may administer the network is answered.
            s.send(struct.pack("IHHII", 20, (10 << 8) | 16, 5, 1, 0) + struct.pack("BBH", 0, 0, 0))
            answer = s.recv(4096)
            kind, = struct.unpack("H", answer[4:6])
            code, = struct.unpack("i", answer[16:20])
            print(protocol, kind, code)
            if protocol == 12 and (kind != 2 or code == 0):
                won()
    except OSError as error:
        print(protocol, error)`,
      ),
    escaped: wins,
    control: 'weak-box',
    mayBeRefused: true,
  },
]
