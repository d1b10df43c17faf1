/** Owns what the programs of attempts have in common: beginnings that say that they ran, and numbers of system calls for two machines. */
import { type AttemptEvidence, type Canaries, ranMark, type SandboxAttempt, wonMark } from '../attempt.ts'

/** Numbers of system calls: x86-64, arm64. From the kernel's tables; absent where the machine has no such call. */
const CALLS: Readonly<Record<string, readonly [number, number | undefined]>> = {
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_settime: [227, 112],
  clone: [56, 220],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsopen: [430, 430],
  init_module: [175, 105],
  io_uring_setup: [425, 425],
  iopl: [172, undefined],
  kcmp: [312, 272],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  memfd_create: [319, 279],
  mount: [165, 40],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  ptrace: [101, 117],
  reboot: [169, 142],
  request_key: [249, 218],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
}

const PRELUDE = `import ctypes, errno, os, socket, struct, sys, time
print("RAN", flush=True)
_libc = ctypes.CDLL(None, use_errno=True)
_arm = os.uname().machine == "aarch64"
_calls = ${JSON.stringify(CALLS).replaceAll('null', 'None')}
def call(name, *arguments):
    """The kernel's answer, or minus the error's number."""
    number = _calls[name][1 if _arm and len(_calls[name]) > 1 else 0]
    if number is None:
        return -errno.ENOSYS
    ctypes.set_errno(0)
    _libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = _libc.syscall(ctypes.c_long(number), *given)
    return answer if answer >= 0 else -ctypes.get_errno()
def reached(answer):
    """The call got past every check of rights: it worked, or failed for what it was given."""
    print("answer", answer, flush=True)
    if answer >= 0 or -answer not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
        won()
def won():
    print("WON", flush=True)
def show(path):
    try:
        with open(path, "rb") as file:
            print(file.read(65536).decode("latin-1"), flush=True)
    except OSError as error:
        print(path, error.strerror, flush=True)
def pids():
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
`

/** A Python program after {@link PRELUDE}; `won()` says that it succeeded. */
export function python(canaries: Canaries, body: string): string {
  return `${PRELUDE.replace('RAN', ranMark(canaries)).replace('WON', wonMark(canaries))}\n${body}\n`
}

/** A Bash program; `$won` is what it says when it succeeded. */
export function bash(canaries: Canaries, body: string): string {
  return `echo ${ranMark(canaries)}; won=${wonMark(canaries)}\n${body}\n`
}

/** A JavaScript program; `load(name)` gives a module of the host's by any way there is, or undefined. */
export function javascript(canaries: Canaries, body: string): string {
  return `console.log(${JSON.stringify(ranMark(canaries))});
const won = () => console.log(${JSON.stringify(wonMark(canaries))});
const tryAll = (...ways) => { for (const way of ways) { try { const value = way(); if (value) return value } catch {} } };
const load = (name) => tryAll(
  () => require(name),
  () => process.getBuiltinModule(name),
  () => globalThis.process.mainModule.require(name),
  () => globalThis.constructor.constructor('return process')().getBuiltinModule(name),
  () => (() => {}).constructor('return process')().getBuiltinModule(name),
  () => Object.getPrototypeOf(async () => {}).constructor('return process')().getBuiltinModule(name),
);
${body}
`
}

export const quoted = (text: string): string => JSON.stringify(text)

/** Escaped when any of the tokens came out. */
export function finds(...pick: readonly ((canaries: Canaries) => string)[]): SandboxAttempt['escaped'] {
  return ({ text }: AttemptEvidence, canaries: Canaries) => pick.some((one) => text.includes(one(canaries)))
}

/** Escaped when the program saw itself succeed. */
export const wins: SandboxAttempt['escaped'] = ({ text }, canaries) => text.includes(wonMark(canaries))

/** Escaped when the program got more than this of anything: it says `got <number>`, more than once if need be. */
export function gotMoreThan(most: number): SandboxAttempt['escaped'] {
  return ({ text }) => [...text.matchAll(/^got (\d{1,15})$/gm)].some((match) => Number(match[1]) > most)
}

export const tokens = {
  secret: (canaries: Canaries) => canaries.secret.token,
  session: (canaries: Canaries) => canaries.otherSession.token,
  editable: (canaries: Canaries) => canaries.editable.token,
  database: (canaries: Canaries) => canaries.database.token,
  service: (canaries: Canaries) => canaries.service.token,
  neighbour: (canaries: Canaries) => canaries.neighbour.token,
  argument: (canaries: Canaries) => canaries.process.argumentToken,
  environment: (canaries: Canaries) => canaries.environment.token,
  processEnvironment: (canaries: Canaries) => canaries.process.environmentToken,
} as const
