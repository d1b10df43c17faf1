/** Data: programs that run the command in their words, and how their own options are told from it. */
import type { OptionGrammar } from '../options.ts'
import type { Effect } from '../verdict.ts'

export interface Wrapper {
  readonly grammar: OptionGrammar
  /** Words between the options and the command, e.g. how long `timeout` waits. */
  readonly skip?: number
  /** What it does itself. */
  readonly adds?: readonly [Effect, string]
  /** Options with an effect of their own. */
  readonly harm?: Readonly<Record<string, readonly [Effect, string]>>
  /** Assignments may stand before the command. */
  readonly assignments?: true
  /** Without a command it only prints. */
  readonly alone?: readonly [Effect, string]
}

const AS_ROOT = ['write', 'runs with more rights'] as const

export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    env: {
      grammar: {
        values: 'uC',
        flags: 'i0v',
        longValues: ['--unset', '--chdir'],
        longFlags: ['--ignore-environment', '--null', '--debug', '--list-signal-handling'],
      },
      assignments: true,
      alone: ['read', 'prints the environment'],
    },
    timeout: {
      grammar: {
        values: 'ks',
        flags: 'v',
        longValues: ['--kill-after', '--signal'],
        longFlags: ['--foreground', '--preserve-status', '--verbose'],
      },
      skip: 1,
    },
    gtimeout: {
      grammar: {
        values: 'ks',
        flags: 'v',
        longValues: ['--kill-after', '--signal'],
        longFlags: ['--foreground', '--preserve-status', '--verbose'],
      },
      skip: 1,
    },
    nice: { grammar: { values: 'n', flags: '0123456789', longValues: ['--adjustment'] }, alone: ['read', 'prints its priority'] },
    ionice: {
      grammar: { values: 'cn', flags: 't', longValues: ['--class', '--classdata'], longFlags: ['--ignore'] },
      alone: ['read', 'prints its priority'],
    },
    chrt: { grammar: { values: 'TPD', flags: 'bfiorRdv' }, skip: 1, adds: ['write', 'changes a priority'] },
    taskset: { grammar: { values: '', flags: 'ac' }, skip: 1 },
    nohup: { grammar: { values: '', flags: '' }, adds: ['write', 'writes nohup.out and goes on without this shell'] },
    setsid: {
      grammar: { values: '', flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'] },
      adds: ['write', 'goes on without this shell'],
    },
    stdbuf: { grammar: { values: 'ioe', flags: '', longValues: ['--input', '--output', '--error'] } },
    unbuffer: { grammar: { values: '', flags: 'p' } },
    time: {
      grammar: {
        values: 'fo',
        flags: 'apvql',
        longValues: ['--format', '--output'],
        longFlags: ['--portability', '--append', '--verbose', '--quiet'],
      },
      harm: { o: ['write', 'writes a file'], '--output': ['write', 'writes a file'] },
      alone: ['read', 'measures nothing'],
    },
    gtime: { grammar: { values: 'fo', flags: 'apvq' }, harm: { o: ['write', 'writes a file'] } },
    builtin: { grammar: { values: '', flags: '' }, alone: ['read', 'does nothing'] },
    exec: { grammar: { values: 'a', flags: 'cl' }, alone: ['read', 'only changes where input and output go'] },
    setarch: { grammar: { values: '', flags: 'BFILRSTXZ3v' }, skip: 1 },
    linux32: { grammar: { values: '', flags: 'BFILRSTXZ3v' } },
    linux64: { grammar: { values: '', flags: 'BFILRSTXZ3v' } },
    busybox: { grammar: { values: '', flags: '' }, alone: ['read', 'lists its programs'] },
    toybox: { grammar: { values: '', flags: '' }, alone: ['read', 'lists its programs'] },
    fakeroot: { grammar: { values: '', flags: '' }, adds: ['write', 'pretends to be root'] },
    torsocks: { grammar: { values: '', flags: '' }, adds: ['write', 'goes through a network'] },
    proxychains: { grammar: { values: '', flags: 'q' }, adds: ['write', 'goes through a network'] },
    strace: {
      grammar: { values: 'aeEIoOpPsSuUXb', flags: 'cCdfFhiknqrtTvVwxyYzZ' },
      adds: ['write', 'looks into another program while it runs'],
    },
    ltrace: { grammar: { values: 'aAeDlnopsuwxF', flags: 'bcCfhiLrStTV' }, adds: ['write', 'looks into another program while it runs'] },
    chroot: { grammar: { values: '', flags: '' }, skip: 1, adds: ['dangerous', 'runs in another root with the rights of root'] },
    sudo: {
      grammar: {
        values: 'aCcDgHhpRrTtUu',
        flags: 'ABbEeiKklnPSsVv',
        longValues: ['--user', '--group', '--prompt', '--chdir', '--host', '--role', '--type', '--other-user', '--command-timeout'],
        longFlags: [
          '--askpass',
          '--background',
          '--preserve-env',
          '--set-home',
          '--login',
          '--non-interactive',
          '--preserve-groups',
          '--stdin',
          '--shell',
          '--validate',
          '--list',
          '--reset-timestamp',
          '--remove-timestamp',
          '--edit',
        ],
      },
      assignments: true,
      adds: AS_ROOT,
      harm: {
        e: ['dangerous', 'edits files with more rights'],
        '--edit': ['dangerous', 'edits files with more rights'],
        i: ['dangerous', 'opens a shell with more rights'],
        s: ['dangerous', 'opens a shell with more rights'],
        '--login': ['dangerous', 'opens a shell with more rights'],
        '--shell': ['dangerous', 'opens a shell with more rights'],
      },
      alone: ['dangerous', 'runs with more rights'],
    },
    doas: {
      grammar: { values: 'aCu', flags: 'Lns' },
      adds: AS_ROOT,
      harm: { s: ['dangerous', 'opens a shell with more rights'] },
      alone: ['dangerous', 'runs with more rights'],
    },
    pkexec: { grammar: { values: '', flags: '', longValues: ['--user'] }, adds: AS_ROOT, alone: ['dangerous', 'runs with more rights'] },
    gksudo: { grammar: { values: 'u', flags: '' }, adds: AS_ROOT, alone: ['dangerous', 'runs with more rights'] },
    rlwrap: { grammar: { values: '', flags: '' }, adds: ['write', 'keeps a history'] },
  }),
)
/** Wrappers that raise a write to dangerous: with their rights nothing is out of reach. */
export const RAISES: ReadonlySet<string> = new Set(['sudo', 'doas', 'pkexec', 'gksudo', 'chroot'])
