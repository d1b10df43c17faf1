/** Attempts in SQL: databases bring their own ways to files. */
import { join } from 'node:path'
import { type Canaries, ranMark, type SandboxAttempt } from '../attempt.ts'
import { finds, tokens } from './programs.ts'

/** Statements that may fail each on its own: what a session of a database would send one after the other is one program here. */
function statement(id: string, title: string, body: (at: Canaries) => string, escaped: SandboxAttempt['escaped']): SandboxAttempt {
  return {
    id,
    title,
    guarantee: 'filesystem',
    lang: 'sql',
    code: (at) => `select '${ranMark(at)}';\n${body(at)};`,
    escaped,
    control: 'user',
    mayBeRefused: true,
  }
}

export const SQL_ATTEMPTS: readonly SandboxAttempt[] = [
  statement(
    'sql-attach-read',
    'attach a database file of the host and read it',
    (at) => `attach '${at.database.path}' as host; select token from host.t`,
    finds(tokens.database),
  ),
  statement(
    'sql-attach-uri',
    'attach it by an address',
    (at) => `attach 'file:${at.database.path}?mode=ro&immutable=1' as host; select token from host.t`,
    finds(tokens.database),
  ),
  statement(
    'sql-attach-write',
    'make a database file on the host',
    (at) => `attach '${join(at.writable, `attached-${at.nonce}`)}' as made; create table made.t (a); insert into made.t values (1)`,
    (evidence, at) => evidence.exists(join(at.writable, `attached-${at.nonce}`)),
  ),
  statement(
    'sql-vacuum-into',
    'copy the database to the host',
    (at) => `create table t (a); vacuum into '${join(at.writable, `vacuumed-${at.nonce}`)}'`,
    (evidence, at) => evidence.exists(join(at.writable, `vacuumed-${at.nonce}`)),
  ),
  statement('sql-read-file', 'read a file by a function', (at) => `select readfile('${at.secret.path}')`, finds(tokens.secret)),
  statement(
    'sql-write-file',
    'write a file by a function',
    (at) => `select writefile('${join(at.writable, `written-${at.nonce}`)}', 'x')`,
    (evidence, at) => evidence.exists(join(at.writable, `written-${at.nonce}`)),
  ),
  statement(
    'sql-list-folder',
    'list a folder by a table',
    (at) => `select name from fsdir('${at.otherSession.folder}')`,
    ({ text }) => text.includes('notes.txt'),
  ),
  statement(
    'sql-load-extension',
    'load a library of the host',
    (at) => `select load_extension('${at.secret.path}')`,
    ({ text }) => /invalid ELF|file too short/i.test(text),
  ),
  statement(
    'sql-virtual-table',
    'read a file as a table',
    (at) => `create virtual table temp.f using csv(filename='${at.secret.path}'); select * from f`,
    finds(tokens.secret),
  ),
  statement(
    'sql-shell-words',
    'use words of the shell of the database',
    (at) => `.read ${at.secret.path}\n.shell cat ${at.secret.path}\nselect 1`,
    finds(tokens.secret),
  ),
  {
    id: 'sql-endless',
    title: 'compute without end',
    guarantee: 'cpu',
    lang: 'sql',
    code: () => 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n;',
    escaped: ({ report }) => report !== undefined && report.limit === undefined && !report.timedOut && report.exitCode === 0,
    control: { none: 'it never ends' },
    disturbs: true,
  },
  {
    id: 'sql-memory',
    title: 'take memory without end',
    guarantee: 'memory',
    lang: 'sql',
    code: () =>
      "create table big (a blob); with recursive n(i) as (select 1 union all select i + 1 from n where i < 400) insert into big select zeroblob(1048576) from n; select 'got ' || count(*) from big;",
    escaped: ({ text }) => /got 400/.test(text),
    control: { none: 'it takes memory' },
    disturbs: true,
  },
]
