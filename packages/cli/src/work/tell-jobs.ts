import type { Session } from '@adjutant/core'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { endsOfJobs } from './own-worker.ts'

/** Waits for what goes on behind the session and writes what comes of it: in JSON one line each, else the text. */
export async function tellJobs(io: CliIo, session: Session, json: boolean): Promise<void> {
  for await (const { jobId, result } of endsOfJobs(session, io.signal)) {
    if (json) await writeJson(io.stdout, { type: 'job', jobId, result })
    else await write(io.stdout, result.text.endsWith('\n') ? result.text : `${result.text}\n`)
    if (result.isError) io.exit(1)
  }
}
