/**
 * The whole chaos run, on SQLite and on a real PostgreSQL, as a table. Exit code 1 when something that must hold does not.
 *
 * Usage: npm run test:chaos [-- --seed N] [-- --checkpoints N] [-- --only sqlite|postgres] [-- --limit SECONDS for each] [-- --limit SECONDS for each]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresMissing, startPostgres } from '@adjutant/testkit'
import { broken, chaosTable } from './chaos-table.ts'
import { type ChaosReport, runChaos } from './run-chaos.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '7' },
    checkpoints: { type: 'string', default: '300' },
    only: { type: 'string' },
    limit: { type: 'string', default: '105' },
  },
})
const seed = whole('seed', values.seed, 0)
const shared = {
  seed,
  checkpoints: whole('checkpoints', values.checkpoints, 1),
  workers: 4,
  killEveryMs: 2_000,
  bodyMs: 300,
  limitMs: 1_000 * whole('limit', values.limit, 1),
}
process.stdout.write(`chaos: seed ${seed}\n`)

const reports: Record<string, ChaosReport> = {}
if (values.only !== 'postgres') {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-chaos-store-'))
  try {
    reports.SQLite = await runChaos({ ...shared, url: `sqlite:${join(folder, 'store.db')}`, progress: progress('SQLite') })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const missing = postgresMissing()
if (values.only !== 'sqlite' && missing !== undefined) process.stderr.write(`chaos: NOTHING WAS TRIED ON POSTGRESQL: ${missing}\n`)
else if (values.only !== 'sqlite') {
  await using server = await startPostgres({ fsync: true })
  const restart = () => server.restart('immediate')
  reports.PostgreSQL = await runChaos({ ...shared, url: server.url, restart, progress: progress('PostgreSQL') })
}

process.stdout.write(chaosTable(reports))
for (const [name, report] of Object.entries(reports)) {
  for (const line of broken(report)) {
    process.stdout.write(`FAILED on ${name}: ${line}\n`)
    process.exitCode = 1
  }
  for (const { code, signal, said } of report.faults) process.stderr.write(`${name}: a process ended with ${code ?? signal}: ${said}\n`)
}

function progress(name: string): (line: string) => void {
  let last = ''
  return (line) => {
    if (line !== last) process.stderr.write(`${name}: ${line}\n`)
    last = line
  }
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= least) return number
  process.stderr.write(`chaos: --${name} is a whole number from ${least} on, not ${JSON.stringify(text)}\n`)
  return process.exit(2)
}
