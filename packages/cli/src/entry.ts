/** What the process runs: bin/adjutant.js imports it built, tests and `npm start` run it from source. */
import { runProcess } from './run-process.ts'

await runProcess()
