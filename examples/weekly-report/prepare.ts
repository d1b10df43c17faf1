/**
 * Owns the folders of a run. `data/` is what the run reads and keeps (database, the team's memory, session records) and is made
 * anew each time; `out/` is the model's workspace, where only what an earlier run of this example wrote is removed.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDatabase, readDays } from './weather-data.ts'

const HERE = import.meta.dirname

export const FOLDERS = {
  data: join(HERE, 'data'),
  sessions: join(HERE, 'data', 'sessions'),
  out: join(HERE, 'out'),
  report: join(HERE, 'out', 'report.md'),
} as const

/** Degrees and days that the team agreed on; the memory server gives them to the model. */
export const HOT_DAY = 30
export const HOT_DAYS_TO_ACT = 4
export const CLOSING_TIME = '22:00'

const MEMORY = [
  {
    type: 'entity',
    name: 'cooling-centres',
    entityType: 'agreement',
    observations: [
      `A hot day is a day with a maximum of ${HOT_DAY} °C or more.`,
      `After a week with ${HOT_DAYS_TO_ACT} hot days or more, the centres stay open until ${CLOSING_TIME} in the week that follows.`,
    ],
  },
  {
    type: 'entity',
    name: 'weekly-report',
    entityType: 'document',
    observations: ['The report is one file, report.md, written each Monday.'],
  },
  { type: 'relation', from: 'weekly-report', to: 'cooling-centres', relationType: 'is written for' },
]

export async function prepare(): Promise<void> {
  await rm(FOLDERS.data, { recursive: true, force: true })
  await mkdir(FOLDERS.sessions, { recursive: true })
  await mkdir(FOLDERS.out, { recursive: true })
  for (const name of ['report.md', 'summary.csv']) await rm(join(FOLDERS.out, name), { force: true })
  createDatabase(join(FOLDERS.data, 'weather.db'), await readDays())
  await writeFile(join(FOLDERS.data, 'memory.jsonl'), MEMORY.map((line) => JSON.stringify(line)).join('\n'))
}
