/**
 * Lines for calls: those that are done, and those that run. Painted here: the library that draws looks for colours at stdout, and the person
 * sits at stderr.
 */
import { Box, Text, useAnimation, useWindowSize } from 'ink'
import { createElement as h, type ReactNode } from 'react'
import { duration } from '../call-summary.ts'
import { shorten } from '../printable.ts'
import { outcomeSign, type Theme } from '../theme.ts'
import type { DoneLine, LiveCall, ViewSnapshot } from '../view-store.ts'

export function DoneLineView({ line, theme }: { readonly line: DoneLine; readonly theme: Theme }): ReactNode {
  if (line.kind !== 'call') {
    if (line.kind === 'text') return h(Text, { wrap: 'wrap' }, line.text === '' ? ' ' : line.text)
    if (line.kind === 'note') return h(Text, { wrap: 'wrap' }, theme.paint('quiet', line.text))
    return h(Text, { wrap: 'wrap' }, theme.paint('warning', `! ${line.text}`))
  }
  const { sign, tone } = outcomeSign(line.outcome, theme.symbols)
  const end = [line.detail ?? '', line.durationMs === undefined ? '' : duration(line.durationMs)].filter((part) => part !== '').join('  ')
  return h(CallRow, { sign: theme.paint(tone, sign), name: line.name, summary: line.summary, end, theme })
}

interface CallRowProps {
  /** Painted. */
  readonly sign: string
  readonly name: string
  readonly summary: string
  readonly end: string
  readonly theme: Theme
}

/**
 * One line of the screen. Only the summary gives way, so that the sum of the rest always fits: a line that wraps where the layout
 * did not expect it would be left behind at each frame.
 */
function CallRow({ sign, name, summary, end, theme }: CallRowProps): ReactNode {
  const { columns } = useWindowSize()
  const third = Math.max(6, Math.floor(columns / 3))
  return h(
    Box,
    { gap: 1, height: 1, width: columns, overflow: 'hidden' },
    h(Box, { flexShrink: 0 }, h(Text, null, sign)),
    h(Box, { flexShrink: 0 }, h(Text, null, theme.paint('name', shorten(name, third)))),
    summary === '' ? null : h(Box, { flexShrink: 1, minWidth: 0 }, h(Text, { wrap: 'truncate-end' }, theme.paint('quiet', summary))),
    end === '' ? null : h(Box, { flexShrink: 0 }, h(Text, null, theme.paint('quiet', shorten(end, third)))),
  )
}

export interface LiveCallsProps {
  readonly calls: readonly LiveCall[]
  readonly waiting: number
  readonly thinking: boolean
  /** Calls on the screen at a time; the rest is counted. */
  readonly limit: number
  readonly theme: Theme
  /** Milliseconds since the session started. */
  now(): number
}

/** Rows of the screen that the calls take, with what counts those that are not shown. */
export function liveRows({ live, waiting }: Pick<ViewSnapshot, 'live' | 'waiting'>, limit: number): number {
  return Math.min(live.length, limit) + (live.length > limit ? 1 : 0) + (waiting > 0 ? 1 : 0)
}

export function LiveCalls({ calls, waiting, thinking, limit, theme, now }: LiveCallsProps): ReactNode {
  const { spinner, waiting: waitingSign, ellipsis } = theme.symbols
  const running = calls.some((call) => call.status === 'running')
  const { frame } = useAnimation({ interval: 100, isActive: running || thinking })
  const turn = spinner[frame % spinner.length] ?? ''
  const shown = calls.slice(0, limit)
  const more = calls.length - shown.length
  const at = now()
  return h(
    Box,
    { flexDirection: 'column' },
    ...shown.map((call) => {
      const held = call.status === 'held'
      const time = call.startedAt === undefined ? '' : duration(at - call.startedAt)
      const end = held ? 'waits for you' : [call.progress ?? '', time].filter((part) => part !== '').join('  ')
      return h(CallRow, {
        key: call.id,
        sign: held ? theme.paint('warning', waitingSign) : theme.paint('accent', turn),
        name: call.name,
        summary: call.summary,
        end,
        theme,
      })
    }),
    more > 0 ? h(Text, null, theme.paint('quiet', `  ${ellipsis} ${more} more at work`)) : null,
    waiting > 0 ? h(Text, null, theme.paint('quiet', `${waitingSign} ${waiting} waiting for their turn`)) : null,
    thinking && calls.length === 0 ? h(Text, null, theme.paint('quiet', `${turn} thinking${ellipsis}`)) : null,
  )
}
