/**
 * Owns the program of a Python interpreter that stays: it takes one frame after the other and runs each in the same module, so that names and the
 * folder stay. `sys.exit` ends the run, not the interpreter. Each run gets the output anew, whatever became of it in the run before. How a run ended is told beside the output, with the word that came with the run.
 */
export const SESSION_PYTHON = `
def adjutant():
    import sys, os, resource, types, io
    for name, value in (('CORE', '0'), ('NOFILE', '256'), ('NPROC', sys.argv[1]), ('FSIZE', str(int(sys.argv[2]) * 1024)), ('DATA', str(int(sys.argv[3]) * 1024))):
        limit = int(value)
        resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (limit, limit))
    os.set_inheritable(198, False)
    os.set_inheritable(199, False)
    source = os.fdopen(198, 'rb')
    version = 'python%d.%d' % sys.version_info[:2]
    sys.path.insert(0, '')
    sys.path += filter(os.path.isdir, ('/usr/local/lib/%s/dist-packages' % version, '/usr/lib/python3/dist-packages', '/usr/lib/%s/site-packages' % version, '/usr/local/lib/%s/site-packages' % version))
    sys.argv = ['']
    out, err = sys.stdout, sys.stderr
    kept = os.dup(1), os.dup(2)
    forms = out.errors, err.errors
    def output(stream, number):
        os.dup2(kept[number - 1], number)
        try:
            if not stream.closed:
                return stream
        except ValueError:
            pass
        raw = io.BufferedWriter(io.FileIO(number, 'w', closefd=False))
        return io.TextIOWrapper(raw, encoding='utf-8', errors=forms[number - 1], line_buffering=number == 2)
    main = types.ModuleType('__main__')
    sys.modules['__main__'] = main
    turn = 0
    def field():
        parts = []
        while True:
            byte = source.read(1)
            if byte == b'\\0':
                return b''.join(parts)
            if byte == b'':
                os._exit(0)
            parts.append(byte)
    def failed(error, name, code):
        import linecache, traceback
        text = code.decode('utf-8', 'replace')
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        error.__traceback__ = trace
        traceback.print_exception(type(error), error, trace, file=err)
        return 1
    while True:
        field()
        word = field()
        field()
        cwd = field()
        given = field()
        for index in range(int(field())):
            name = field()
            os.environb[name] = field()
        code = source.read(int(field()))
        turn += 1
        name = '<code %d>' % turn
        status = 0
        out, err = sys.stdout, sys.stderr = output(out, 1), output(err, 2)
        try:
            fd = os.open(given, os.O_RDONLY)
            os.dup2(fd, 0)
            os.close(fd)
            sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding='utf-8', errors='surrogateescape')
            if cwd:
                os.chdir(cwd)
            exec(compile(code, name, 'exec', dont_inherit=True), main.__dict__)
        except SystemExit as error:
            if error.code is None:
                status = 0
            elif isinstance(error.code, int):
                status = error.code & 255
            else:
                print(error.code, file=err)
                status = 1
        except BaseException as error:
            status = failed(error, name, code)
        for stream in (sys.stdout, sys.stderr, out, err):
            try:
                stream.flush()
            except Exception:
                pass
        os.write(199, word + b' %d\\0' % status)
adjutant()
`
