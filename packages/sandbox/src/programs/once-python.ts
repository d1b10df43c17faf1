/**
 * Owns the program that waits in a box for Python code and runs it once, as `__main__`. Python runs isolated and without `site`; what a system
 * package installed can be imported all the same.
 */
export const ONCE_PYTHON = `
def adjutant():
    import sys, os, resource, types
    os.closerange(199, 200)
    for name, value in (('CORE', '0'), ('NOFILE', '256'), ('NPROC', sys.argv[1]), ('FSIZE', str(int(sys.argv[2]) * 1024)), ('DATA', str(int(sys.argv[3]) * 1024))):
        limit = int(value)
        resource.setrlimit(getattr(resource, 'RLIMIT_' + name), (limit, limit))
    frame = b''.join(iter(lambda: os.read(198, 1 << 20), b''))
    os.close(198)
    if not frame:
        os._exit(125)
    empty, word, cpu, cwd, stdin, count, rest = frame.split(b'\\0', 6)
    if cpu:
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 1))
    given = os.open(stdin, os.O_RDONLY)
    os.dup2(given, 0)
    os.close(given)
    if cwd:
        try:
            os.chdir(cwd)
        except OSError as error:
            print(error, file=sys.stderr)
            sys.exit(1)
    for index in range(int(count)):
        name, value, rest = rest.split(b'\\0', 2)
        os.environb[name] = value
    code = rest.split(b'\\0', 1)[1]
    version = 'python%d.%d' % sys.version_info[:2]
    sys.path.insert(0, '')
    sys.path += filter(os.path.isdir, ('/usr/local/lib/%s/dist-packages' % version, '/usr/lib/python3/dist-packages', '/usr/lib/%s/site-packages' % version, '/usr/local/lib/%s/site-packages' % version))
    sys.argv = ['']
    sys.stdout.reconfigure(line_buffering=True)
    main = types.ModuleType('__main__')
    sys.modules['__main__'] = main
    try:
        exec(compile(code, '<code>', 'exec', dont_inherit=True), main.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        import linecache, traceback
        text = code.decode('utf-8', 'replace')
        linecache.cache['<code>'] = (len(text), None, text.splitlines(True), '<code>')
        trace = error.__traceback__.tb_next
        error.__traceback__ = trace
        try:
            sys.stdout.flush()
        except Exception:
            pass
        traceback.print_exception(type(error), error, trace)
        sys.exit(1)
adjutant()
`
