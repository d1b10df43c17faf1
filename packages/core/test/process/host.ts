/** A host for tests: starts the shell commands it is given as trees, writes `{marker, watchdog}` for it, and ends as told. */
import { systemClock } from '@adjutant/core'
import { watchdogPid } from '../../src/util/process-guard.ts'
import { ProcessTree } from '../../src/util/process-tree.ts'

const [end = 'wait', ...scripts] = process.argv.slice(2)
const env = { PATH: process.env.PATH ?? '' }
const trees = scripts.map((script) => new ProcessTree({ command: 'sh', args: ['-c', script], env }, systemClock))
// Each script writes a line once all of it runs.
await Promise.all(trees.map((tree) => new Promise((resolve) => tree.child.stdout.once('data', resolve))))
process.stdout.write(`${JSON.stringify({ markers: trees.map((tree) => tree.marker), watchdog: watchdogPid() })}\n`)
if (end === 'exit') process.exit(0)
