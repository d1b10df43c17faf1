/** Attempts to read and write files of the host, from inside and by what the host is made to do afterwards. */
import { join } from 'node:path'
import type { Canaries, SandboxAttempt } from '../attempt.ts'
import { bash, finds, python, quoted, tokens } from './programs.ts'

const guarantee = 'filesystem'
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const nothing = (): string => ''

/** Several ways from a start to a planted file. */
const through = (canaries: Canaries, starts: string): string => `
target = ${quoted(canaries.secret.path)}
for start in ${starts}:
    show(start + target)`

export const FILE_ATTEMPTS: readonly SandboxAttempt[] = [
  {
    id: 'read-shadow',
    title: 'read /etc/shadow',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'show("/etc/shadow")\nshow("/etc/gshadow")'),
    escaped: ({ text }) => /^root:[^:\n]{0,500}:\d{0,10}:/m.test(text),
    control: { none: 'only root may read it, and no control runs as root' },
  },
  {
    id: 'read-secret',
    title: 'read a file of the host that everybody may read',
    guarantee,
    lang: 'python',
    code: (at) => python(at, `show(${quoted(at.secret.path)})`),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'read-secret-shell',
    title: 'read it with every tool of a shell',
    guarantee,
    lang: 'bash',
    code: (at) =>
      bash(
        at,
        `f='${at.secret.path}'\necho "$(<"$f")"; cat "$f"; while read -r line; do echo "$line"; done < "$f"; . "$f"; tail "$f"; grep . "$f"; true`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'read-other-session',
    title: "read another session's folder",
    guarantee,
    lang: 'python',
    code: (at) => python(at, `show(${quoted(at.otherSession.path)})\nprint(os.listdir(${quoted(at.otherSession.folder)}))`),
    escaped: ({ text }, at) => text.includes(at.otherSession.token) || text.includes("['notes.txt']"),
    control: 'user',
  },
  {
    id: 'neighbour-workspace',
    title: 'find the files of a box that is open at the same time',
    guarantee,
    lang: 'python',
    neighbour: (box, at) => box.writeFile('neighbour.txt', new TextEncoder().encode(at.neighbour.token)),
    code: (at) =>
      python(
        at,
        `import glob
for pattern in ("../*/neighbour.txt", "../*/*/neighbour.txt", "../../*/*/neighbour.txt", "/tmp/*/*/neighbour.txt", "/var/tmp/*/*/neighbour.txt", "/run/*/*/*/neighbour.txt", "/run/*/*/*/*/neighbour.txt", "/proc/*/cwd/neighbour.txt", "/proc/*/root/workspace/neighbour.txt", "/workspace*/neighbour.txt", "/workspace/../*/*/neighbour.txt"):
    for path in glob.glob(pattern):
        show(path)`,
      ),
    escaped: finds(tokens.neighbour),
    control: 'user',
  },
  {
    id: 'neighbour-temporary',
    title: 'find what a box that is open at the same time put into temporary folders',
    guarantee,
    lang: 'bash',
    neighbour: async (box, at) => {
      await box.run({
        lang: 'bash',
        code: `for f in /tmp /var/tmp /dev/shm; do echo '${at.neighbour.token}' > $f/adjutant-${at.nonce}; done; true`,
      })
    },
    code: (at) => bash(at, `cat /tmp/adjutant-${at.nonce} /var/tmp/adjutant-${at.nonce} /dev/shm/adjutant-${at.nonce}; true`),
    escaped: finds(tokens.neighbour),
    control: 'user',
  },
  {
    id: 'walk-whole-tree',
    title: 'look for planted files in the whole tree of folders',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `wanted = {"secret.txt", "notes.txt", "editable.txt"}
seen = 0
# The way to what was planted comes first, wherever it lies: a whole machine cannot be walked in a moment.
way = os.path.realpath(${JSON.stringify(at.folder)}) + "/"
def leads(path):
    return way.startswith(path + "/") or path.startswith(way)
for folder, folders, names in os.walk("/"):
    skipped = ("/proc", "/sys", "/usr", "/root", "/nix")
    paths = [(name, os.path.join(folder, name)) for name in folders]
    rank = lambda one: (not leads(one[1]), "canaries" not in one[0], one[0] not in ("tmp", "var"), one[0])
    folders[:] = [name for name, path in sorted(paths, key=rank) if path not in skipped or leads(path)]
    for name in names:
        if name in wanted and "canaries" in folder:
            show(os.path.join(folder, name))
    seen += len(names)
    if seen > 60000:
        break`,
      ),
    escaped: finds(tokens.secret, tokens.session, tokens.editable),
    control: 'user',
  },
  {
    id: 'dot-dot-chain',
    title: 'climb out of the workspace by ..',
    guarantee,
    lang: 'python',
    code: (at) => python(at, through(at, '["../" * 40, "/workspace/" + "../" * 40, "/proc/self/cwd/" + "../" * 40, "/tmp/" + "../" * 40]')),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'proc-self-root',
    title: 'read through /proc/self/root, /proc/thread-self/root and their like',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        through(
          at,
          '["/proc/self/root", "/proc/thread-self/root", "/proc/self/task/%d/root" % os.getpid(), "/proc/self/root/proc/self/root"]',
        ),
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'proc-others-root',
    title: 'read through /proc/1/root and the root of every process',
    guarantee,
    lang: 'python',
    code: (at) => python(at, through(at, '["/proc/%d/root" % pid for pid in [1] + pids()]')),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'proc-others-cwd',
    title: 'read what lies where other processes are',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'for pid in pids():\n    show("/proc/%d/cwd/notes.txt" % pid)'),
    escaped: finds(tokens.session),
    control: 'user',
  },
  {
    id: 'proc-others-descriptors',
    title: 'read through the descriptors of other processes',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for pid in pids():
    try:
        names = os.listdir("/proc/%d/fd" % pid)
    except OSError:
        continue
    for name in names:
        show("/proc/%d/fd/%s%s" % (pid, name, ${quoted(at.secret.path)}))`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'inherited-descriptors',
    title: 'walk out by a descriptor that the host left open',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for number in range(3, 256):
    for up in ("../" * 40, ""):
        try:
            found = os.open(up + ${quoted(at.secret.path.slice(1))}, os.O_RDONLY, dir_fd=number)
            print(os.read(found, 4096))
        except OSError:
            pass`,
      ),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'write-inherited-descriptors',
    title: 'write a file of the host by a descriptor that was left open',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for number in range(3, 256):
    for up in ("../" * 40, ""):
        try:
            os.close(os.open(up + ${quoted(join(at.writable, `descriptor-${at.nonce}`).slice(1))}, os.O_WRONLY | os.O_CREAT, dir_fd=number))
        except OSError:
            pass`,
      ),
    escaped: (evidence, at) => evidence.exists(join(at.writable, `descriptor-${at.nonce}`)),
    control: 'user',
  },
  {
    id: 'make-file-outside',
    title: 'make a file on the host where everybody may',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `mkdir -p '${at.writable}'; echo x > '${join(at.writable, `made-${at.nonce}`)}'; true`),
    escaped: (evidence, at) => evidence.exists(join(at.writable, `made-${at.nonce}`)),
    control: 'user',
  },
  {
    id: 'change-file-outside',
    title: 'read and change a file of the host that everybody may change',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(at, `path = ${quoted(at.editable.path)}\nshow(path)\nfile = open(path, "r+b")\nfile.seek(0, 2)\nfile.write(b"")\nwon()`),
    escaped: finds(tokens.editable),
    control: 'user',
  },
  {
    id: 'remove-outside',
    title: 'make a link in a folder of the host, and rename it',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `folder = ${quoted(at.writable)}\nos.symlink("/etc/passwd", folder + "/link-${at.nonce}")\nos.rename(folder + "/link-${at.nonce}", folder + "/renamed-${at.nonce}")`,
      ),
    escaped: (evidence, at) => evidence.exists(join(at.writable, `renamed-${at.nonce}`)),
    control: 'user',
  },
  ...['/tmp', '/var/tmp', '/dev/shm'].map(
    (folder): SandboxAttempt => ({
      id: `share-${folder.slice(1).replace('/', '-')}`,
      title: `leave a file in ${folder} of the host`,
      guarantee,
      lang: 'bash',
      code: (at) => bash(at, `echo x > ${folder}/adjutant-${at.nonce}; true`),
      escaped: (evidence, at) => evidence.exists(`${folder}/adjutant-${at.nonce}`),
      control: 'user',
    }),
  ),
  {
    id: 'symlink-inside',
    title: 'read through a link made in the workspace',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `ln -s '${at.secret.path}' to-file; ln -s / to-root; cat to-file "to-root${at.secret.path}"; true`),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'hard-link-inside',
    title: 'give a file of the host a second name in the workspace',
    guarantee,
    lang: 'python',
    code: (at) => python(at, `os.link(${quoted(at.editable.path)}, "second")\nshow("second")`),
    escaped: finds(tokens.editable),
    control: 'user',
  },
  {
    id: 'host-reads-link',
    title: 'have the host read a link out of the workspace',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `ln -s '${at.secret.path}' report.txt`),
    after: async (box) => decode(await box.readFile('report.txt')),
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'host-reads-linked-folder',
    title: 'have the host read below a linked folder',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `ln -s '${at.otherSession.folder}' results`),
    after: async (box) => decode(await box.readFile('results/notes.txt')),
    escaped: finds(tokens.session),
    control: 'user',
  },
  {
    id: 'host-reads-proc-link',
    title: 'have the host read /proc/self/environ by a link',
    guarantee: 'environment',
    lang: 'bash',
    code: (at) => bash(at, 'ln -s /proc/self/environ environ; ln -s /proc/self/root own-root'),
    after: async (box, at) =>
      decode(await box.readFile('environ').catch(() => new Uint8Array())) + decode(await box.readFile(`own-root${at.secret.path}`)),
    escaped: finds(tokens.environment, tokens.secret),
    control: 'user',
  },
  {
    id: 'host-lists-linked-folder',
    title: 'have the host list a linked folder',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `ln -s '${at.otherSession.folder}' listed`),
    after: async (box) => JSON.stringify((await box.list('listed')).map((entry) => entry.path)),
    escaped: ({ text }) => text.includes('notes.txt"'),
    control: 'user',
  },
  {
    id: 'host-writes-link',
    title: 'have the host write through a link',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, `ln -s '${at.writable}/through-${at.nonce}' out.txt; ln -s '${at.writable}' folder`),
    after: async (box, at) => {
      await box.writeFile('out.txt', new Uint8Array([120])).catch(nothing)
      await box.writeFile(`folder/below-${at.nonce}`, new Uint8Array([120])).catch(nothing)
      return ''
    },
    escaped: (evidence, at) =>
      evidence.exists(join(at.writable, `through-${at.nonce}`)) || evidence.exists(join(at.writable, `below-${at.nonce}`)),
    control: 'user',
  },
  {
    id: 'host-reads-above',
    title: 'have the host read a path with .. in it',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, 'true'),
    after: async (box, at) => {
      let text = ''
      for (const up of ['..', './..', '%2e%2e', '..\\', 'x/../..']) {
        text += await box.readFile(`${`${up}/`.repeat(30)}${at.secret.path.slice(1)}`).then(decode, nothing)
      }
      return text
    },
    escaped: finds(tokens.secret),
    control: 'user',
  },
  {
    id: 'host-reads-while-swapped',
    title: 'swap a file for a link while the host reads it',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `os.makedirs("plain", exist_ok=True)
open("plain/notes.txt", "w").write("fine")
os.symlink(${quoted(at.otherSession.folder)}, "swapped")
if os.fork() == 0:
    os.setsid()
    for number in (0, 1, 2):
        os.close(number)
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        try:
            os.rename("plain", "moving"); os.rename("moving", "plain")
            os.rename("swapped", "moving"); os.rename("moving", "swapped")
        except OSError:
            pass
    os._exit(0)`,
      ),
    after: async (box) => {
      let text = ''
      for (let round = 0; round < 200; round += 1) text += await box.readFile('moving/notes.txt').then(decode, nothing)
      return text
    },
    escaped: finds(tokens.session),
    control: 'user',
    mayBeRefused: true,
    disturbs: true,
  },
  {
    id: 'open-by-handle',
    title: 'open files of the host by handles instead of names',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `handle = struct.pack("IiQQ", 8, 1, 2, 0)
answer = call("open_by_handle_at", os.open("/", os.O_RDONLY), ctypes.c_char_p(handle), 0)
reached(answer if answer != -errno.ESTALE else 0)`,
      ),
    escaped: ({ text }, at) => text.includes(`won-${at.nonce}`),
    control: { none: 'needs rights in the first user namespace, which no control has' },
  },
]
