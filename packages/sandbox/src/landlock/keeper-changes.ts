/**
 * Owns changes of mode and time that a keeper makes on behalf of the code. Landlock does not bound `chmod` and its like; where files outside belong to
 * the box's user they are not let through. The kernel holds such a call and asks the keeper, which looks the file up by itself, beneath the box's
 * own folders and nowhere else, and changes what it has found. The code can say any path and change it meanwhile: nothing but its own files can come
 * of that. Sets no set-user-id bit.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type SeccompArch, syscallNumbers } from '../linux/index.ts'

/** Calls that name a file; a later rule of the filter decides the others. */
const CALLS = ['chmod', 'fchmodat', 'fchmodat2', 'utimensat'] as const
// linux/audit.h
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const satisfies Readonly<Record<SeccompArch, number>>

/** What a keeper must know to be asked. */
export interface ChangeCalls {
  readonly arch: number
  readonly seccomp: number
  readonly calls: Readonly<Record<string, number>>
}

/** @throws AdjutantError INTERNAL when the table of calls has a hole */
export function changeCalls(arch: SeccompArch): ChangeCalls {
  const numbers = syscallNumbers(arch)
  const seccomp = numbers.get('seccomp')
  if (seccomp === undefined) throw new AdjutantError('INTERNAL', `the table of system calls of ${arch} has no seccomp`)
  const calls = CALLS.flatMap((name) => {
    const number = numbers.get(name)
    return number === undefined ? [] : [[name, number] as const]
  })
  return { arch: AUDIT_ARCH[arch], seccomp, calls: Object.fromEntries(calls) }
}

/** Functions of the keeper: `listen` for the code's side, `answer` for its own. */
export const KEEPER_CHANGES = `
AT_FDCWD, NOFOLLOW, EMPTY = -100, 0x100, 0x1000
def listen(changes, channel):
    # Asks for these calls, allows all others; the filter that comes after it refuses more.
    numbers = list(changes['calls'].values())
    steps = [(0x20, 0, 0, 4), (0x15, 0, len(numbers) + 1, changes['arch']), (0x20, 0, 0, 0)]
    steps += [(0x15, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
    steps += [(6, 0, 0, 0x7fff0000), (6, 0, 0, 0x7fc00000)]
    code = b''.join(struct.pack('HBBI', *step) for step in steps)
    words = ctypes.create_string_buffer(code, len(code))
    listener = call('seccomp', changes['seccomp'], 1, 8, ctypes.c_char_p(struct.pack('@HP', len(steps), ctypes.addressof(words))))
    channel.sendmsg([b'x'], [(1, 1, struct.pack('i', listener))])
    os.close(listener)
def memory(pid, address, length):
    opened = os.open('/proc/%d/mem' % pid, os.O_RDONLY | os.O_CLOEXEC)
    try:
        found = b''
        while len(found) < length:
            # To the end of the page: the next one may not be there.
            at = address + len(found)
            part = os.pread(opened, min(length - len(found), 4096 - at % 4096), at)
            found += part
            if part == b'' or b'\\0' in part and length == 4096:
                break
        return found
    finally:
        os.close(opened)
def find(pid, folder, path, follow, roots):
    if not path.startswith(b'/'):
        start = 'cwd' if folder == AT_FDCWD else 'fd/%d' % folder
        path = os.readlink(b'/proc/%d/' % pid + start.encode()) + b'/' + path
    for root, opened in roots:
        if path == root or path.startswith(root + b'/'):
            # Beneath, whatever links there are: the kernel looks to it.
            how = struct.pack('QQQ', os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW), 0, 8 | 2)
            return call('openat2', 437, opened, ctypes.c_char_p(path[len(root):].lstrip(b'/') or b'.'), ctypes.c_char_p(how), len(how))
    raise PermissionError(errno.EPERM, 'outside')
def signed(word):
    word &= 0xffffffff
    return word - (1 << 32) if word >> 31 else word
def change(name, pid, words, roots):
    if name == 'chmod':
        folder, address, mode, flags = AT_FDCWD, words[0], words[1], 0
    else:
        folder, address, mode = signed(words[0]), words[1], words[2]
        flags = words[3] & 0xffffffff if name in ('fchmodat2', 'utimensat') else 0
    if flags & ~NOFOLLOW:
        raise PermissionError(errno.EPERM, 'flags')
    path, end, rest = memory(pid, address, 4096).partition(b'\\0')
    if end == b'' or path == b'':
        raise OSError(errno.ENOENT, 'no path')
    times = None
    if name == 'utimensat' and words[2] != 0:
        times = memory(pid, words[2], 32)
    opened = find(pid, folder, path, not flags & NOFOLLOW, roots)
    try:
        place = b'/proc/self/fd/%d' % opened
        if name == 'utimensat':
            checked(LIBC.utimensat(AT_FDCWD, ctypes.c_char_p(place), ctypes.c_char_p(times), 0), 'utimensat')
        elif mode & 0o4000:
            raise PermissionError(errno.EPERM, 'set-user-id')
        else:
            os.chmod(place, mode & 0o3777)
    finally:
        os.close(opened)
def answer(listener, names, roots):
    asked = bytearray(80)
    try:
        fcntl.ioctl(listener, 0xc0502100, asked)
    except OSError:
        # Whoever asked is gone.
        return
    number, pid, _, call_number = struct.unpack_from('QIIi', asked)
    words = struct.unpack_from('6Q', asked, 32)
    name, error, go_on = names.get(call_number), errno.EPERM, 0
    if name == 'utimensat' and words[1] == 0:
        # Of an open file, which Landlock has let it open: there is nothing to look up.
        error, go_on = 0, 1
    elif name is not None:
        try:
            change(name, pid, words, roots)
            error = 0
        except OSError as failed:
            error = errno.EPERM if failed.errno in (None, errno.EXDEV) else failed.errno
    try:
        fcntl.ioctl(listener, 0xc0182101, struct.pack('QqiI', number, 0, -error, go_on))
    except OSError:
        pass
`
