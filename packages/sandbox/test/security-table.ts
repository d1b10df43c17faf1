/**
 * Owns the table of docs/security.md: what each backend enforces. What is said here is held against the backends' own answers on the machine at hand
 * (see security-table.test.ts), so that it can neither promise more than they do nor keep silent about what they do.
 *
 * Usage: node --conditions=adjutant-source packages/sandbox/test/security-table.ts   writes the table into the page
 */
import { readFile, writeFile } from 'node:fs/promises'
import type { SandboxGuarantee } from '@adjutant/core/contract'
import { DEFAULT_ORDER } from '../src/index.ts'

/** `true`: wherever it works at all. A text: only where this is given. Absent: never, and declared so. */
type Claims = Readonly<Partial<Record<SandboxGuarantee, true | string>>>

export const GUARANTEES: readonly SandboxGuarantee[] = [
  'filesystem',
  'network',
  'processes',
  'environment',
  'memory',
  'cpu',
  'process-count',
  'disk',
  'file-count',
  'kernel',
]

const ALL = { filesystem: true, network: true, processes: true, environment: true, cpu: true } as const
const GROUP = 'control group'
const WASM: Claims = { ...ALL, memory: true, 'process-count': true, disk: true, 'file-count': true, kernel: true }

/** Each container is looked at from inside when it is made, and promises what was found there. */
const SEEN = 'seen to hold'

export const CLAIMS: Readonly<Record<string, Claims>> = {
  bubblewrap: { ...ALL, memory: GROUP, 'process-count': true, disk: true, 'file-count': true, kernel: 'seccomp' },
  container: {
    filesystem: SEEN,
    network: SEEN,
    processes: SEEN,
    environment: SEEN,
    memory: SEEN,
    cpu: SEEN,
    'process-count': SEEN,
    disk: SEEN,
    'file-count': SEEN,
    kernel: SEEN,
  },
  e2b: { filesystem: true, processes: true, environment: true, network: 'hosted service' },
  landlock: {
    ...ALL,
    processes: 'Linux 6.12',
    memory: GROUP,
    'process-count': `${GROUP}, or root`,
    kernel: true,
  },
  seatbelt: { filesystem: true, network: true },
  quickjs: WASM,
  sqljs: WASM,
}

const BEGIN = '<!-- what backends enforce: made by packages/sandbox/test/security-table.ts -->'
const END = '<!-- end of what backends enforce -->'
export const PAGE = new URL('../../../docs/security.md', import.meta.url)

/** Backends in the order in which they are tried. */
export function backendNames(): readonly string[] {
  return [...new Set(Object.values(DEFAULT_ORDER).flat())].sort((a, b) => Object.keys(CLAIMS).indexOf(a) - Object.keys(CLAIMS).indexOf(b))
}

export function securityTable(): string {
  const names = backendNames()
  const cell = (claim: true | string | undefined): string => (claim === undefined ? '–' : claim === true ? 'enforced' : `with ${claim}`)
  const said = (claim: true | string | undefined): string => (claim === SEEN ? 'where seen to hold' : cell(claim))
  return [
    `| | ${names.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${names.map(() => '---').join('|')}|`,
    ...GUARANTEES.map((guarantee) => `| \`${guarantee}\` | ${names.map((name) => said(CLAIMS[name]?.[guarantee])).join(' | ')} |`),
  ].join('\n')
}

/** The table as the page has it, without what marks it. */
export function tableOf(page: string): string | undefined {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)]
  return from === -1 || to < from ? undefined : page.slice(from + BEGIN.length, to).trim()
}

if (import.meta.main) {
  const page = await readFile(PAGE, 'utf8')
  const kept = tableOf(page)
  if (kept === undefined) throw new Error(`${PAGE.pathname} has no place for the table: ${BEGIN} … ${END}`)
  await writeFile(PAGE, `${page.slice(0, page.indexOf(BEGIN) + BEGIN.length)}\n\n${securityTable()}\n\n${page.slice(page.indexOf(END))}`)
}
