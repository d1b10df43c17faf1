/**
 * Data: the programs that only read, and which of their options make them do more. Whatever is not listed here is never `read`.
 * An option is written as people write it; long ones also match their abbreviations, single letters also inside a cluster (`-ro`).
 */
import type { Effect } from '../verdict.ts'

export interface Reader {
  readonly reason: string
  /** Options that do more than read, each with what they do. */
  readonly harm?: Readonly<Record<string, readonly [Effect, string]>>
  /** Letters whose value may follow in the same word: a cluster ends there. */
  readonly values?: string
  /** Options that take the next word as their value. */
  readonly nextWords?: readonly string[]
  /** Long options of one dash (`-oN`): whole words, no clusters. */
  readonly wholeWords?: boolean
  /** More words that are no options than this make it write. */
  readonly operands?: readonly [number, Effect, string]
  /** What its words say leaves this machine. */
  readonly network?: true
}

const FILE = ['write', 'writes a file'] as const
const RUNS = ['dangerous', 'runs another program'] as const
const SETS = ['write', 'changes a setting of the system'] as const
const CONFIG = ['dangerous', 'takes settings that can run programs'] as const

/** Nothing they are given makes them do more than print. */
const PLAIN: Readonly<Record<string, string>> = {
  'prints text': 'echo printf yes seq true false : test [ expr factor numfmt sleep',
  'prints what it is given, changed': 'cut tr rev tac nl fold fmt pr expand unexpand paste join comm column colrm col look tsort',
  'prints a file or a part of it': 'cat zcat gzcat bzcat xzcat zstdcat lzcat head tail strings od hexdump hd wc size readelf',
  'searches text': 'grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep pgrep',
  'compares files': 'diff cmp zdiff zcmp',
  'prints a sum of a file': 'md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum base32 crc32',
  'lists files':
    'ls dir vdir ll du df stat readlink realpath basename dirname namei pathchk lsattr getfattr getfacl locate whereis which mountpoint findmnt exa eza',
  'says what is there':
    'pwd whoami id groups who users w last logname tty nproc uname uptime free vmstat iostat mpstat lscpu lsblk lsmod lspci lsusb lshw getent getconf printenv locale cal ncal pidof pstree dirs times caller dircolors tput',
  'lists processes': 'ps',
  calculates: 'bc',
  'changes only this shell': 'cd pushd popd exit return break continue shift logout wait',
  'explains a program': 'apropos whatis type',
  'prints JSON': 'jq json_pp',
}

const SPECIAL: Readonly<Record<string, Reader>> = {
  sort: {
    reason: 'sorts text',
    values: 'ktST',
    harm: { '-o': FILE, '--output': FILE, '--compress-program': RUNS },
  },
  uniq: { reason: 'leaves out repeated lines', operands: [1, 'write', 'writes into its second file'] },
  shuf: { reason: 'shuffles lines', values: 'in', harm: { '-o': FILE, '--output': FILE } },
  tree: { reason: 'lists files', harm: { '-o': FILE, '-R': ['write', 'writes 00Tree.html files with -o'] } },
  sdiff: { reason: 'compares files', values: 'wI', harm: { '-o': FILE, '--output': FILE, '--diff-program': RUNS } },
  base64: { reason: 'prints a file as text', values: 'wbi', harm: { '-o': FILE, '--output': FILE } },
  nm: { reason: 'prints the names in a program', values: 'fSt', harm: { '--plugin': RUNS } },
  diff3: { reason: 'compares files', harm: { '--diff-program': RUNS } },
  lastlog: { reason: 'says who was there', values: 'btu', harm: { '-C': SETS, '--clear': SETS, '-S': SETS, '--set': SETS } },
  arch: { reason: 'says what machine this is', operands: [0, 'dangerous', 'runs another program'] },
  blkid: { reason: 'lists disks', harm: { '-w': FILE, '-g': FILE, '--garbage-collect': FILE } },
  lsof: { reason: 'lists open files', harm: { '-D': FILE } },
  jobs: { reason: 'lists what runs in this shell', harm: { '-x': RUNS } },
  json_xs: { reason: 'prints JSON', harm: { '-e': RUNS, '-f': RUNS, '-t': RUNS } },
  iconv: { reason: 'converts text', values: 'ft', harm: { '-o': FILE, '--output': FILE } },
  xxd: {
    reason: 'prints bytes',
    wholeWords: true,
    operands: [1, 'write', 'writes into its second file'],
  },
  uuencode: { reason: 'prints a file as text' },
  file: {
    reason: 'says what a file is',
    values: 'meFfP',
    harm: { '-C': FILE, '--compile': FILE, '-z': RUNS, '-Z': RUNS, '--uncompress': RUNS },
  },
  less: {
    reason: 'shows a file',
    values: 'bhjpPtTxyz#D',
    harm: {
      '-o': FILE,
      '-O': FILE,
      '--log-file': FILE,
      '--LOG-FILE': FILE,
      '-k': CONFIG,
      '--lesskey-file': CONFIG,
      '--lesskey-src': CONFIG,
      '--lesskey-content': CONFIG,
      '+': ['dangerous', 'runs commands of the pager'],
    },
  },
  more: { reason: 'shows a file', harm: { '+!': RUNS } },
  most: { reason: 'shows a file' },
  zless: { reason: 'shows a file', harm: { '-o': FILE, '-O': FILE, '-k': CONFIG, '--l': CONFIG, '--L': CONFIG, '+': RUNS } },
  bat: { reason: 'shows a file', values: 'lHrm', harm: { '--pager': RUNS, '--generate-config-file': FILE, '-P': RUNS } },
  man: {
    reason: 'shows a manual',
    values: 'LMRSmse',
    harm: {
      '-P': RUNS,
      '--pager': RUNS,
      '-H': RUNS,
      '--html': RUNS,
      '-C': CONFIG,
      '--config-file': CONFIG,
      '-l': ['write', 'formats a file with programs in it'],
      '--local-file': ['write', 'formats a file with programs in it'],
      '-X': RUNS,
      '--gxditview': RUNS,
      '-p': RUNS,
      '--preprocessor': RUNS,
      '-T': RUNS,
      '--troff-device': RUNS,
    },
  },
  info: {
    reason: 'shows a manual',
    values: 'dfn',
    harm: { '-o': FILE, '--output': FILE, '--dribble': FILE, '--restore': CONFIG, '--init-file': CONFIG },
  },
  rg: {
    reason: 'searches text',
    values: 'ABCEMTdefgjmrt',
    harm: { '--pre': RUNS, '--hostname-bin': RUNS, '-z': RUNS, '--search-zip': RUNS },
  },
  ag: { reason: 'searches text', values: 'ABCGgmp', harm: { '--pager': RUNS, '-z': RUNS, '--search-zip': RUNS } },
  fd: { reason: 'lists files', values: 'EScdejot', harm: { '-x': RUNS, '-X': RUNS, '--exec': RUNS, '--exec-batch': RUNS } },
  date: {
    reason: 'prints the time',
    values: 'dfrI',
    nextWords: ['-d', '--date', '-r', '-f', '-v'],
    harm: { '-s': SETS, '--set': SETS },
  },
  hostname: {
    reason: 'prints the name of this machine',
    operands: [0, 'dangerous', 'changes the name of this machine'],
    harm: {
      '-F': ['dangerous', 'changes the name of this machine'],
      '--file': ['dangerous', 'changes the name of this machine'],
      '-b': ['dangerous', 'changes the name of this machine'],
      '--boot': ['dangerous', 'changes the name of this machine'],
    },
  },
  domainname: {
    reason: 'prints the name of the domain',
    operands: [0, 'dangerous', 'changes the name of the domain'],
    harm: { '-F': SETS },
  },
  ifconfig: { reason: 'shows network interfaces', operands: [1, 'dangerous', 'changes a network interface'] },
  arp: {
    reason: 'shows the addresses of neighbours',
    harm: { '-s': SETS, '-d': SETS, '-f': SETS, '--set': SETS, '--delete': SETS, '--file': SETS },
  },
  route: { reason: 'shows routes', operands: [0, 'dangerous', 'changes the routes of the network'] },
  netstat: { reason: 'shows connections' },
  ss: {
    reason: 'shows connections',
    values: 'AFfN',
    harm: {
      '-K': ['dangerous', 'closes connections of others'],
      '--kill': ['dangerous', 'closes connections of others'],
      '-D': FILE,
      '--diag': FILE,
    },
  },
  mount: {
    reason: 'lists what is mounted',
    operands: [0, 'dangerous', 'mounts a file system'],
    values: 'tO',
    harm: {
      '-a': ['dangerous', 'mounts file systems'],
      '--all': ['dangerous', 'mounts file systems'],
      '-o': ['dangerous', 'mounts a file system'],
      '-B': ['dangerous', 'mounts a file system'],
      '--': ['dangerous', 'mounts a file system'],
    },
  },
  top: { reason: 'lists processes' },
  dmesg: {
    reason: 'shows messages of the kernel',
    values: 'Ffls',
    harm: {
      '-C': ['dangerous', 'deletes the messages of the kernel'],
      '--clear': ['dangerous', 'deletes the messages of the kernel'],
      '-c': ['dangerous', 'deletes the messages of the kernel'],
      '--read-clear': ['dangerous', 'deletes the messages of the kernel'],
      '-n': SETS,
      '--console': SETS,
      '-D': SETS,
      '-E': SETS,
    },
  },
  journalctl: {
    reason: 'shows logs',
    values: 'nobupgtDMcS',
    harm: {
      '--vacuum': ['dangerous', 'deletes logs'],
      '--rotate': SETS,
      '--flush': SETS,
      '--sync': SETS,
      '--relinquish': SETS,
      '--smart-relinquish': SETS,
      '--setup-keys': SETS,
      '--update-catalog': SETS,
      '--cursor-file': FILE,
    },
  },
  history: {
    reason: 'lists commands of before',
    operands: [1, 'write', 'changes the history'],
    harm: {
      '-c': ['dangerous', 'deletes the history'],
      '-d': ['dangerous', 'deletes the history'],
      '-a': FILE,
      '-w': FILE,
      '-r': FILE,
      '-n': FILE,
      '-s': FILE,
      '-p': RUNS,
    },
  },
  hash: {
    reason: 'lists where programs are',
    operands: [0, 'write', 'changes where programs are found'],
    harm: { '-p': ['dangerous', 'changes what a name runs'], '-d': SETS, '-r': SETS },
  },
  umask: { reason: 'shows which rights new files get', operands: [0, 'write', 'changes which rights new files get'] },
  ulimit: { reason: 'shows the limits of this shell', operands: [0, 'write', 'changes the limits of this shell'] },
  xmllint: {
    reason: 'prints XML',
    wholeWords: true,
    harm: { '-o': FILE, '--output': FILE, '-output': FILE, '--shell': RUNS, '-shell': RUNS },
  },
  objdump: { reason: 'shows a program' },
  dig: { reason: 'asks a name server', network: true },
  nslookup: { reason: 'asks a name server', network: true },
  host: { reason: 'asks a name server', network: true },
  finger: { reason: 'asks who somebody is', network: true },
  whois: { reason: 'asks who has a name', network: true },
  ping: {
    reason: 'asks another machine whether it is there',
    network: true,
    harm: { '-f': ['dangerous', 'floods another machine'] },
    values: 'IMQSTWciltpsw',
  },
  ping6: {
    reason: 'asks another machine whether it is there',
    network: true,
    harm: { '-f': ['dangerous', 'floods another machine'] },
    values: 'IMQSTWciltpsw',
  },
  traceroute: { reason: 'asks for the way to another machine', network: true },
  tracepath: { reason: 'asks for the way to another machine', network: true },
}

/** Programs that say their version or explain themselves and end, when this is all they are asked. */
export const ASKS_ONLY: ReadonlySet<string> = new Set(
  (
    'node npm npx pnpm yarn bun deno python python2 python3 pip pip3 ruby gem perl php java javac go cargo rustc rustup gcc g++ cc clang make cmake git docker docker-compose ' +
    'kubectl helm terraform bash sh zsh fish tar gzip zip unzip curl wget ssh sed awk gawk find xargs split cp mv ln rm mkdir tee dd psql mysql sqlite3 redis-cli ' +
    'tsc eslint prettier jest vitest pytest mypy black ruff mvn gradle dotnet swift tmux screen vim nano rsync openssl gpg ffmpeg convert systemctl brew apt apt-get yum dnf'
  ).split(' '),
)

export const READERS: ReadonlyMap<string, Reader> = new Map([
  ...Object.entries(PLAIN).flatMap(([reason, names]) => names.split(' ').map((name): [string, Reader] => [name, { reason }])),
  ...Object.entries(SPECIAL),
])
