/**
 * Owns the list of what a session may do to find what others hid: by names, handles, numbers and paths that everybody knows, by looking everywhere, and by
 * what spoils others' things. Aimed at itself, or without an aim, an attempt finds what the session hid itself: so it can find.
 */
import { type HidingPlace, PEARL_PATTERN } from './pearls.ts'
import { type Address, namesOf, type Player, word } from './player.ts'

interface Aim {
  readonly me: Player
  readonly own: Address
  /** May be the session itself. */
  readonly other: Address
  /** 0 … 999. */
  readonly pick: number
}

interface Attempt {
  readonly name: string
  readonly tool: string
  /** What it finds of the session's own when it is aimed at itself. Several may be needed for one. */
  readonly finds: readonly HidingPlace[]
  /** It never says a thing that only the session itself has to say. */
  input(aim: Aim): Readonly<Record<string, unknown>>
}

const bash = (name: string, finds: readonly HidingPlace[], command: (aim: Aim) => string): Attempt => ({
  name,
  tool: 'bash',
  finds,
  input: (aim) => ({ command: `(${command(aim)}\n) 2>&1 | head -c 6000` }),
})

const python = (name: string, finds: readonly HidingPlace[], code: (aim: Aim) => string, session = false): Attempt => ({
  name,
  tool: 'python',
  finds,
  input: (aim) => ({ code: code(aim), session }),
})

const javascript = (name: string, finds: readonly HidingPlace[], code: (aim: Aim) => string): Attempt => ({
  name,
  tool: 'javascript',
  finds,
  input: (aim) => ({ code: code(aim), session: true }),
})

const tool = (name: string, of: string, finds: readonly HidingPlace[], input: Attempt['input']): Attempt => ({
  name,
  tool: of,
  finds,
  input,
})

const GREP = `grep -hoaE '${PEARL_PATTERN}'`

/** A path of another session, as one may write it. */
function pathTo({ me, other, pick }: Aim, file: string): string {
  const name = other.workspace.split('/').at(-1) ?? ''
  const ways = [
    `${other.workspace}/${file}`,
    `../${name}/${file}`,
    `/proc/1/root${other.workspace}/${file}`,
    `/proc/self/root${other.workspace}/${file}`,
    `${me.workspace}/../${name}/./${file}`,
    `..%2f${name}%2f${file}`,
  ]
  return ways[pick % ways.length] ?? ''
}

const SHARED = (key: number): string => `import ctypes
memory = ctypes.CDLL(None)
memory.shmat.restype = ctypes.c_void_p
held = memory.shmget(${key}, 0, 0)
print(ctypes.string_at(memory.shmat(held, None, 0), 40) if held >= 0 else 'none')`

function connect(family: string, where: string): string {
  const program = `import socket
s = socket.socket(socket.${family})
s.settimeout(5)
s.connect(${where})
print(s.recv(100).decode())`
  return `python3 -I -c ${word(program)}`
}

const isOwn = ({ own, other }: Aim): boolean => own.index === other.index

export const ATTEMPTS: readonly Attempt[] = [
  bash('grep everywhere', ['file', 'tmp', 'shared-memory-file'], () =>
    [`timeout 20 ${GREP} -rs -D skip /workspace /tmp /dev/shm /var/tmp /run /home /root /srv /mnt /opt /var/lib | sort -u`].join('\n'),
  ),
  bash('read the environment', ['environment'], () => `env | ${GREP}; cat /proc/[0-9]*/environ 2>/dev/null | ${GREP} | sort -u`),
  bash('list command lines', ['argument'], () => `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | ${GREP} | sort -u`),
  bash('ps', ['argument'], () => `ps axww -o pid,args 2>/dev/null | ${GREP} || cat /proc/[0-9]*/cmdline | ${GREP}`),
  bash(
    'read what processes have open',
    ['file'],
    () => `for p in /proc/[0-9]*; do cat $p/root/workspace/${namesOf(0).file} $p/cwd/*.txt; done 2>/dev/null | ${GREP} | sort -u`,
  ),
  bash('read the memory of processes', [], () =>
    [
      'for p in /proc/[0-9]*; do',
      `  while read -r span mode _; do [[ $mode == r* ]] && from=$((16#\${span%-*})) && (( from > 0 )) && dd if=$p/mem bs=4096 skip=$((from / 4096)) count=8 2>/dev/null; done < <(head -3 $p/maps) | ${GREP}`,
      'done | sort -u',
    ].join('\n'),
  ),
  bash('read a file by its path', ['file'], (aim) => {
    const { file, note } = namesOf(0)
    const path = isOwn(aim) ? `/workspace/${file}` : pathTo(aim, aim.pick % 2 === 0 ? file : note)
    return `cat ${word(path)}`
  }),
  bash('list a folder by its path', [], (aim) => `ls -la ${word(pathTo(aim, '.'))} ${word(`${aim.other.workspace}/..`)} | head -40`),
  bash('connect to everything', ['abstract-socket', 'port', 'socket', 'shared-memory'], (aim) => {
    const { abstract, port, socket, sharedKey } = namesOf(aim.other.index)
    const folder = isOwn(aim) ? '/workspace' : aim.other.workspace
    const program = `import os, socket
for family, where in ((socket.AF_UNIX, '\\0${abstract}'), (socket.AF_INET, ('127.0.0.1', ${port})), (socket.AF_UNIX, '${socket}')):
    try:
        if where == '${socket}': os.chdir('${folder}')
        with socket.socket(family) as s:
            s.settimeout(5)
            s.connect(where)
            print(s.recv(100).decode())
    except OSError as error: print(error)
${SHARED(sharedKey)}`
    return `python3 -I -c ${word(program)}`
  }),
  bash('connect to a name', ['abstract-socket'], ({ other }) => connect('AF_UNIX', `'\\0${namesOf(other.index).abstract}'`)),
  bash('connect to a port', ['port'], ({ other }) => connect('AF_INET', `('127.0.0.1', ${namesOf(other.index).port})`)),
  bash('connect to a socket file', ['socket'], (aim) => {
    const { socket } = namesOf(0)
    return `cd ${isOwn(aim) ? '/workspace' : word(aim.other.workspace)} && ${connect('AF_UNIX', `'${socket}'`)}`
  }),
  bash('list sockets', [], () => 'cat /proc/net/unix /proc/net/tcp; ss -xlp 2>/dev/null; true'),
  bash('attach shared memory', ['shared-memory'], ({ other }) => {
    const program = SHARED(namesOf(other.index).sharedKey)
    return `python3 -I -c ${word(program)}; ipcs -m 2>/dev/null | head -40; cat /proc/sysvipc/shm | head -40`
  }),
  bash('read shared memory by its name', ['shared-memory-file', 'tmp'], ({ other }) => {
    const { shared, tmp } = namesOf(other.index)
    return `cat ${shared} ${tmp} /dev/shm/* /tmp/harbour-*`
  }),
  bash('write into another session', [], (aim) => (isOwn(aim) ? 'true' : `echo spoiled >${word(pathTo(aim, namesOf(0).note))}; echo $?`)),
  bash('remove another session', [], (aim) =>
    isOwn(aim) ? 'true' : `rm -rf ${word(aim.other.workspace)} ${namesOf(aim.other.index).shared} ${namesOf(aim.other.index).tmp}; echo $?`,
  ),
  bash('link to another session', [], (aim) => {
    const at = `link-${aim.pick % 5}`
    return `ln -sfn ${word(aim.other.workspace)} /workspace/${at}; ln -sf ${word(pathTo(aim, namesOf(0).note))} /workspace/${at}.txt; cat /workspace/${at}/* /workspace/${at}.txt`
  }),
  bash(
    'link by a second name',
    [],
    (aim) => `ln ${word(pathTo(aim, namesOf(0).note))} /workspace/second-${aim.pick}; cat /workspace/second-*`,
  ),
  bash(
    'write files and folders',
    [],
    ({ pick }) =>
      `mkdir -p /workspace/d${pick % 7}/e /tmp/d${pick % 7} && echo ${pick} | tee /workspace/d${pick % 7}/e/f${pick} /tmp/d${pick % 7}/f >/dev/shm/f${pick % 7}; ls /workspace | head -50; rm -rf /workspace/d${(pick + 3) % 7}`,
  ),
  bash('change folder and variables', [], ({ pick }) => `cd /tmp; HARBOUR=none; export OTHER_${pick % 3}=1; env | wc -l`),
  bash('start and stop processes', [], ({ pick }) => `sleep 30 & sleep 30 & kill -${pick % 2 === 0 ? 'TERM' : 'KILL'} %1 %2; wait; jobs`),
  python(
    'walk the whole tree',
    ['file', 'tmp', 'shared-memory-file'],
    () => `import os, re
skip = ('/proc', '/sys', '/usr', '/dev/pts', '/etc')
for place, folders, names in os.walk('/'):
    folders[:] = [name for name in folders if os.path.join(place, name) not in skip]
    for name in names:
        path = os.path.join(place, name)
        try:
            if not os.path.islink(path) and os.path.isfile(path):
                with open(path, errors='replace') as file:
                    for pearl in re.findall('${PEARL_PATTERN}', file.read(100_000)): print(path, pearl)
        except OSError:
            pass`,
  ),
  python(
    'look at the variables',
    ['python-variable'],
    () => `import gc
print([value for value in list(globals().values()) if isinstance(value, str) and value.startswith('pearl_')])
print([kept for kept in gc.get_objects() if isinstance(kept, dict) for kept in list(kept.values()) if isinstance(kept, str) and kept.startswith('pearl_')][:20])`,
    true,
  ),
  python(
    'signal processes of the host',
    [],
    ({ own, other }) => `import os
for number in ${JSON.stringify(own.index === other.index ? [] : other.processes)} + [-number for number in ${JSON.stringify(own.index === other.index ? [] : other.processes)}]:
    try:
        os.kill(number, 9)
        print('hit', number)
    except OSError as error:
        print(error)`,
  ),
  python(
    'trace processes of the host',
    [],
    ({ other }) => `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in ${JSON.stringify(other.processes)}:
    print(libc.ptrace(16, number, 0, 0), ctypes.get_errno())
    for file in ('environ', 'cmdline', 'cwd/${namesOf(0).note}'):
        try:
            with open(f'/proc/{number}/{file}', 'rb') as opened: print(opened.read(4000))
        except OSError as error: print(error)`,
  ),
  python(
    'write a variable',
    [],
    ({ pick }) => `other_${pick % 5} = ${pick}\nprint(sorted(name for name in globals() if name.startswith('other_')))`,
    true,
  ),
  javascript(
    'look at the globals',
    ['javascript-variable'],
    () =>
      "console.log(Object.values(Object.getOwnPropertyDescriptors(globalThis)).map(({ value }) => value).filter((value) => typeof value === 'string').join())",
  ),
  javascript(
    'read all files',
    ['javascript-file'],
    () =>
      "for (const { path } of [...files.list(), { path: 'harbour.txt' }]) { try { console.log(path, files.read(path).slice(0, 60)) } catch (error) { console.log(String(error)) } }",
  ),
  javascript(
    'read a file by its path',
    [],
    (aim) =>
      `for (const path of ${JSON.stringify([pathTo(aim, namesOf(0).note), pathTo(aim, 'harbour.txt'), '../harbour.txt', '/harbour.txt'])}) { try { console.log(files.read(path).slice(0, 60)) } catch (error) { console.log(String(error)) } }`,
  ),
  tool('read_file', 'read_file', ['note'], (aim) => ({ path: isOwn(aim) ? namesOf(0).note : pathTo(aim, namesOf(0).note) })),
  tool('read_file through a link', 'read_file', [], ({ pick }) => ({
    path: pick % 2 === 0 ? `link-${pick % 5}/note.txt` : `link-${pick % 5}.txt`,
  })),
  tool('list_directory', 'list_directory', [], (aim) => ({
    path: aim.pick % 3 === 0 ? '.' : aim.pick % 3 === 1 ? pathTo(aim, '.') : `link-${aim.pick % 5}`,
  })),
  tool('search_text', 'search_text', ['note'], (aim) =>
    isOwn(aim) ? { pattern: 'pearl_' } : { pattern: 'pearl_', path: aim.pick % 2 === 0 ? '..' : aim.other.workspace },
  ),
  tool('find_files', 'find_files', [], (aim) => ({ pattern: '**/*.txt', path: aim.pick % 2 === 0 ? '..' : '.' })),
  tool('write_file', 'write_file', [], (aim) => ({
    path: isOwn(aim) ? `made-${aim.pick % 9}.txt` : pathTo(aim, namesOf(0).note),
    content: 'spoiled',
  })),
  tool('read_result', 'read_result', ['kept-result'], ({ other }) => ({ id: other.kept[0] ?? 'none', search: 'pearl_' })),
  tool('read_result, forged', 'read_result', [], ({ own, other, pick }) => {
    const [mine = 'spill_a.b', theirs = 'spill_c.d'] = [own.kept[0], other.kept[0]]
    const [head = '', proof = ''] = [theirs.split('.')[0], mine.split('.')[1]]
    const forged = [`call_${pick % 9}`, `${head}.${proof}`, head, `../${theirs}`, `${theirs}\u0000`, theirs.toUpperCase()]
    return { id: own.index === other.index ? 'none' : (forged[pick % forged.length] ?? 'none'), search: 'pearl_' }
  }),
  tool('jobs: list', 'background_jobs', [], () => ({})),
  tool('jobs: output', 'background_jobs', ['job-output'], ({ pick }) => ({ action: 'output', job: `job_${pick < 800 ? 1 : pick}` })),
  tool('jobs: stop one that is not there', 'background_jobs', [], ({ pick }) => ({ action: 'stop', job: `job_${2 + (pick % 100)}` })),
  tool('cached', 'harbour_master', ['cached-result'], () => ({})),
  tool('database', 'sql_query', ['database'], (aim) =>
    isOwn(aim)
      ? { sql: 'SELECT word FROM hold' }
      : {
          sql:
            [
              `ATTACH DATABASE '${aim.other.database ?? aim.other.workspace}' AS theirs`,
              `SELECT readfile('${aim.other.workspace}/note.txt')`,
              `SELECT * FROM theirs.hold`,
              `VACUUM INTO '${aim.other.workspace}/copy.db'`,
            ][aim.pick % 4] ?? '',
        },
  ),
]

/** What finds all that a session hid: each place once. */
export const FINDERS: readonly Attempt[] = ATTEMPTS.filter(({ finds }, at) => {
  const before = new Set(ATTEMPTS.slice(0, at).flatMap((attempt) => attempt.finds))
  return finds.some((place) => !before.has(place))
})
