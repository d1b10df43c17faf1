/**
 * Attempts to use more than was given. Each goes beyond its limit by a known amount and stops there by itself, so that the machine is
 * in no danger even where nothing holds it; the one real bomb is for boxes that claim to hold it, and has no control.
 */
import { ATTACK_LIMITS, type SandboxAttempt } from '../attempt.ts'
import { bash, gotMoreThan, python } from './programs.ts'

const MEMORY = ATTACK_LIMITS.memoryMB
const DISK = ATTACK_LIMITS.diskMB
/** Half as much again is what a watchdog that looks now and then may let pass. */
const slack = (limit: number): number => Math.ceil(limit * 1.5)

function memory(id: string, title: string, body: string): SandboxAttempt {
  return {
    id,
    title,
    guarantee: 'memory',
    lang: 'python',
    code: (at) => python(at, body),
    escaped: gotMoreThan(slack(MEMORY)),
    control: 'weak-box',
    disturbs: true,
  }
}

/** Writes up to twice the limit into files of a folder, a megabyte at a time. */
function fill(id: string, title: string, folder: string, files: number): SandboxAttempt {
  return {
    id,
    title,
    guarantee: 'disk',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `piece = os.urandom(1 << 20)
written = 0
try:
    os.makedirs(${JSON.stringify(folder)}, exist_ok=True)
    for number in range(${DISK * 2}):
        with open(${JSON.stringify(folder)} + "/fill-%d" % (number % ${files}), "ab", 0) as file:
            written += file.write(piece)
except (OSError, ValueError) as error:
    print(error)
print("got %d" % (written >> 20), flush=True)`,
      ),
    escaped: gotMoreThan(slack(DISK)),
    control: 'weak-box',
    disturbs: true,
  }
}

export const RESOURCE_ATTEMPTS: readonly SandboxAttempt[] = [
  memory(
    'memory-one-process',
    'take twice the memory in one process',
    `kept = []
for number in range(${(MEMORY * 2) >> 3}):
    kept.append(b"x" * (8 << 20))
    print("got %d" % ((number + 1) * 8), flush=True)`,
  ),
  memory(
    'memory-many-processes',
    'take twice the memory in eight processes',
    // Who is ended for another one to have its memory had it, too: only those count that answer when all have had their turn.
    `ready, tell = os.pipe()
hold, release = os.pipe()
stay, leave = os.pipe()
children = []
for _ in range(8):
    try:
        child = os.fork()
    except OSError as error:
        print(error)
        break
    if child == 0:
        os.close(release)
        os.close(leave)
        kept = b"x" * (${MEMORY >> 2} << 20)
        os.write(tell, b"r")
        os.read(hold, 1)
        os.write(tell, b"a")
        os.read(stay, 1)
        os._exit(0)
    children.append(child)
os.close(tell)
os.close(hold)
import select
def told(most):
    count = 0
    while count < most and select.select([ready], [], [], 5)[0] and os.read(ready, 1):
        count += 1
    return count
had = told(len(children))
os.write(release, b"?" * len(children))
print("got %d" % (told(had) * ${MEMORY >> 2}), flush=True)
os.close(leave)
os.close(release)`,
  ),
  memory(
    'memory-nameless-files',
    'take twice the memory in a file without a name',
    `opened = call("memfd_create", b"x", 0)
written = 0
if opened >= 0:
    for number in range(${(MEMORY * 2) >> 2}):
        written += os.write(opened, b"x" * (4 << 20))
        print("got %d" % (written >> 20), flush=True)`,
  ),
  memory(
    'memory-shared',
    'take twice the memory in shared memory',
    `import mmap
kept = []
for number in range(${(MEMORY * 2) >> 4}):
    room = mmap.mmap(-1, 16 << 20)
    for page in range(0, 16 << 20, 4096):
        room[page] = 1
    kept.append(room)
    print("got %d" % ((number + 1) * 16), flush=True)`,
  ),
  memory(
    'memory-file-systems',
    'take twice the memory in file systems that live in memory',
    `written = 0
for folder in ("/dev/shm", "/tmp", "/run", "/var/tmp"):
    try:
        with open(folder + "/fill", "ab", 0) as file:
            for number in range(${(MEMORY * 2) >> 2}):
                if os.statvfs(folder).f_blocks == 0:
                    break
                written += file.write(b"x" * (4 << 20))
                print("got %d" % (written >> 20), flush=True)
    except OSError as error:
        print(folder, error)`,
  ),
  {
    id: 'processes-many',
    title: 'start three times as many processes as allowed',
    guarantee: 'process-count',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `hold, release = os.pipe()
children = 0
try:
    for _ in range(${ATTACK_LIMITS.processes * 3}):
        if os.fork() == 0:
            os.close(release)
            os.read(hold, 1)
            os._exit(0)
        children += 1
except OSError as error:
    print(error)
print("got %d" % children, flush=True)
os.close(release)`,
      ),
    escaped: gotMoreThan(ATTACK_LIMITS.processes),
    control: 'weak-box',
    disturbs: true,
  },
  {
    id: 'threads-many',
    title: 'start three times as many threads as allowed',
    guarantee: 'process-count',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `import threading
threading.stack_size(65536)
stop = threading.Event()
started = 0
try:
    for _ in range(${ATTACK_LIMITS.processes * 3}):
        threading.Thread(target=stop.wait, daemon=True).start()
        started += 1
except RuntimeError as error:
    print(error)
print("got %d" % started, flush=True)
stop.set()`,
      ),
    escaped: gotMoreThan(ATTACK_LIMITS.processes),
    control: 'weak-box',
    disturbs: true,
  },
  {
    id: 'fork-bomb',
    title: 'the fork bomb itself',
    guarantee: 'process-count',
    lang: 'bash',
    code: (at) =>
      bash(at, 'bomb() { bomb | bomb & }; bomb; read -t 1 < <(sleep 1); n=0; for p in /proc/[0-9]*; do n=$((n+1)); done; echo "got $n"'),
    escaped: gotMoreThan(ATTACK_LIMITS.processes + 4),
    control: { none: 'it is a bomb' },
    disturbs: true,
  },
  {
    id: 'cpu-one-process',
    title: 'compute for twice the time in one process',
    guarantee: 'cpu',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `while time.process_time() < ${(ATTACK_LIMITS.cpuMs * 2) / 1000}:
    pass
print("got %d" % (time.process_time() * 1000), flush=True)`,
      ),
    escaped: gotMoreThan(slack(ATTACK_LIMITS.cpuMs)),
    control: 'weak-box',
    disturbs: true,
  },
  {
    id: 'cpu-many-processes',
    title: 'compute for twice the time in six processes that each stay below',
    guarantee: 'cpu',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for _ in range(6):
    if os.fork() == 0:
        while time.process_time() < ${ATTACK_LIMITS.cpuMs / 3000}:
            pass
        os._exit(0)
for _ in range(6):
    os.wait()
used = os.times()
print("got %d" % ((used.children_user + used.children_system) * 1000), flush=True)`,
      ),
    escaped: gotMoreThan(slack(ATTACK_LIMITS.cpuMs)),
    control: 'weak-box',
    disturbs: true,
  },
  fill('disk-one-file', 'write twice as much as allowed into one file', 'big', 1),
  fill('disk-many-files', 'write it into many files', 'many', 16),
  fill('disk-tmp', 'write it into the temporary folder', '/tmp/many', 8),
  fill('disk-shm', 'write it into /dev/shm', '/dev/shm/many', 8),
  fill('disk-run', 'write it elsewhere: the root, /var, /run, /home', '/run/many', 8),
  {
    id: 'disk-removed-files',
    title: 'write twice as much as allowed into files that have no name any more',
    guarantee: 'disk',
    lang: 'python',
    code: (at) =>
      python(
        at,
        `piece = os.urandom(1 << 20)
written = 0
kept = []
try:
    for number in range(${DISK * 2}):
        opened = os.open("gone", os.O_RDWR | os.O_CREAT)
        os.unlink("gone")
        kept.append(opened)
        written += os.write(opened, piece)
except OSError as error:
    print(error)
print("got %d" % (written >> 20), flush=True)`,
      ),
    escaped: gotMoreThan(slack(DISK)),
    control: 'weak-box',
    disturbs: true,
  },
  ...['.', '/tmp', '/dev/shm'].map(
    (folder): SandboxAttempt => ({
      id: `files-many-${folder === '.' ? 'workspace' : folder.slice(1).replace('/', '-')}`,
      title: `make three times as many files as allowed in ${folder === '.' ? 'the workspace' : folder}`,
      guarantee: 'file-count',
      lang: 'python',
      code: (at) =>
        python(
          at,
          `made = 0
try:
    for number in range(${ATTACK_LIMITS.files * 3}):
        os.close(os.open("${folder}/many-%d" % number, os.O_WRONLY | os.O_CREAT))
        made += 1
except OSError as error:
    print(error)
print("got %d" % made, flush=True)`,
        ),
      escaped: gotMoreThan(slack(ATTACK_LIMITS.files)),
      control: 'weak-box',
      disturbs: true,
    }),
  ),
]
