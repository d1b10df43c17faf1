/** Owns the files of the workspace as the host sees them: opened folder by folder, without following a link. A part of the program in warden-program.ts. */
export const FILES_PART = `
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

def linked(part, folder):
    try:
        return stat.S_ISLNK(os.lstat(part, dir_fd=folder).st_mode)
    except OSError:
        return False

def enter(parts, make):
    folder = os.open(setup['root'], FOLDER)
    try:
        for part in parts:
            try:
                inner = os.open(part, FOLDER, dir_fd=folder)
            except FileNotFoundError:
                if not make:
                    raise
                try:
                    os.mkdir(part, 0o755, dir_fd=folder)
                except FileExistsError:
                    pass
                inner = os.open(part, FOLDER, dir_fd=folder)
            except NotADirectoryError:
                if linked(part, folder):
                    raise OSError(errno.ELOOP, 'a link')
                raise
            os.close(folder)
            folder = inner
        return folder
    except BaseException:
        os.close(folder)
        raise

def read_file(number, ask):
    folder = enter(ask['parts'][:-1], False)
    try:
        end = os.open(ask['parts'][-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        there = os.fstat(end)
        if not stat.S_ISREG(there.st_mode) or there.st_nlink != 1:
            tell(b'F', number, {'plain': stat.S_ISDIR(there.st_mode)})
            return
        parts, left = [], ask['max'] + 1
        while left > 0:
            part = os.read(end, min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        if left <= 0:
            tell(b'F', number, {'large': max(there.st_size, ask['max'] + 1)})
            return
        tell(b'F', number, {}, b''.join(parts))
    finally:
        os.close(end)

def write_file(number, ask, data):
    folder = enter(ask['parts'][:-1], True)
    name, other = ask['parts'][-1], ask['word']
    try:
        try:
            there = os.lstat(name, dir_fd=folder)
        except FileNotFoundError:
            there = None
        if there is not None and (not stat.S_ISREG(there.st_mode) or there.st_nlink != 1):
            tell(b'F', number, {'plain': stat.S_ISDIR(there.st_mode)})
            return
        mode = 0o644 if there is None else stat.S_IMODE(there.st_mode) & 0o777
        end = os.open(other, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
        try:
            try:
                while data:
                    data = data[os.write(end, data):]
                os.fchmod(end, mode)
            finally:
                os.close(end)
            # A link that came meanwhile is replaced, not followed.
            os.rename(other, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            try:
                os.unlink(other, dir_fd=folder)
            except OSError:
                pass
            raise
        tell(b'F', number, {})
    finally:
        os.close(folder)

def list_files(number, ask):
    found, most = [], ask['max']
    def walk(folder, above, depth):
        for name in sorted(os.listdir(folder)):
            there = os.lstat(name, dir_fd=folder)
            path = above + [name]
            plain = stat.S_ISREG(there.st_mode) and there.st_nlink == 1
            kind = 'file' if plain else 'folder' if stat.S_ISDIR(there.st_mode) else 'other'
            shown = '/'.join(path).encode('utf-8', 'surrogateescape').decode('utf-8', 'replace')
            found.append([shown, kind, there.st_size if plain else 0, int(there.st_mtime * 1000)])
            if len(found) > most:
                return False
            if kind == 'folder' and depth < 64:
                try:
                    inner = os.open(name, FOLDER, dir_fd=folder)
                except OSError:
                    continue
                try:
                    if not walk(inner, path, depth + 1):
                        return False
                finally:
                    os.close(inner)
        return True
    folder = enter(ask['parts'], False)
    try:
        whole = walk(folder, ask['parts'], len(ask['parts']))
    finally:
        os.close(folder)
    tell(b'F', number, {} if whole else {'many': most}, json.dumps(found if whole else []).encode())

`
