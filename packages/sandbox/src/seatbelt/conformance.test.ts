/**
 * The attempts of the suite that concern what this backend claims, on Linux, where the package builds its walls by other
 * means: it shows that what is asked of the package is right, and not what macOS makes of it.
 */
import { existsSync } from 'node:fs'
import { randomIds, systemClock } from '@adjutant/core'
import { sandboxConformance } from '@adjutant/testkit'
import { seatbeltBackend } from './seatbelt-backend.ts'

const NEEDED = ['/usr/bin/bwrap', '/usr/bin/socat', '/usr/bin/rg']
const missing = NEEDED.filter((path) => !existsSync(path))
if (process.platform === 'linux' && missing.length === 0)
  sandboxConformance('seatbelt', async () => seatbeltBackend({ clock: systemClock, ids: randomIds, onLinux: true }), {
    parts: ['attack'],
  })
else process.stdout.write(`# seatbelt: the suite did not run, it needs Linux with ${NEEDED.join(', ')}\n`)
