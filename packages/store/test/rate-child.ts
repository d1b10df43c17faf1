/** A process that takes places. Usage: node rate-child.ts URL TENANT KEY CALLS PER_MS COUNT [CLOCK_AHEAD_MS] */
import { systemClock } from '@adjutant/core'
import { openStore } from '../src/open-store.ts'

const [url = '', tenant = '', key = '', calls = '0', perMs = '0', count = '0', ahead = '0'] = process.argv.slice(2)
const clock = { ...systemClock, now: () => systemClock.now() + Number(ahead) }
await using store = await openStore(url, { clock, retryLimitMs: 60_000 })
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
process.stdin.pause()
const takes = Array.from({ length: Number(count) }, () => store.rates.take(key, Number(calls), Number(perMs), tenant))
const taken = (await Promise.all(takes)).filter((answer) => answer.taken).length
process.stdout.write(`${taken}\n`)
