import { createDecoder, type DecodeEvent, randomIds } from '@adjutant/core'
import { printTable } from './table.ts'

const MB = 1_024 * 1_024
const GB = 1_024 * MB
const PIECE = 64 * 1_024

/** One argument of a gigabyte, made while it is read: a limit with a clear error, and memory that stays bounded. */
export async function hugeArgument(): Promise<void> {
  if (process.env.ADJUTANT_BENCH_HUGE !== '1') {
    process.stdout.write('\nOne argument of 1 GB was not run; ADJUTANT_BENCH_HUGE=1 runs it.\n')
    return
  }
  const encoder = new TextEncoder()
  const piece = 'x'.repeat(PIECE)
  const event = (fields: object): Uint8Array =>
    encoder.encode(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...fields }] }, finish_reason: null }] })}\n\n`,
    )
  const seen: DecodeEvent[] = []
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  let peak = before
  const started = process.cpuUsage()
  const decoder = createDecoder('openai-chat', (told) => seen.push(told), { ids: randomIds })
  decoder.push(event({ id: 'a', function: { name: 'write_file', arguments: '{"content":"' } }))
  const middle = event({ function: { arguments: piece } })
  for (let sent = 0; sent < GB; sent += PIECE) {
    decoder.push(middle)
    if (sent % (16 * MB) === 0) peak = Math.max(peak, process.memoryUsage().rss)
  }
  decoder.push(event({ function: { arguments: '"}' } }))
  decoder.end()
  const used = process.cpuUsage(started)
  const calls = seen.filter((told) => told.type === 'call')
  const args = calls[0]?.call.arguments
  if (calls.length !== 1 || args === undefined || args.ok || args.code !== 'TOO_LARGE') throw new Error('the limit did not hold')
  printTable(
    `One argument of 1 GB: ${args.problem}`,
    ['CPU s', 'peak memory above the start, MB'],
    [[((used.user + used.system) / 1e6).toFixed(1), Math.round((peak - before) / MB)]],
  )
}
