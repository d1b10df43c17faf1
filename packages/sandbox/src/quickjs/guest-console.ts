/**
 * Owns `console` in a box. Runs inside of the engine: it must not use anything of this module or of the host, its text is what is taken there.
 */

/** Gives back the object. */
export function guestConsole(
  put: (stream: string, text: string) => void,
  inspect: (value: unknown) => string,
  now: () => number,
): Readonly<Record<string, unknown>> {
  const stringify = JSON.stringify
  const entries = Object.entries
  let indent = ''
  const form = (values: readonly unknown[]): string => {
    let rest = values
    let text = ''
    const [first] = values
    if (typeof first === 'string' && values.length > 1 && first.includes('%')) {
      let next = 1
      text = first.replace(/%([sdifjoOc%])/g, (all: string, kind: string) => {
        if (kind === '%') return '%'
        if (next >= values.length) return all
        const value = values[next]
        next += 1
        switch (kind) {
          case 's':
            return typeof value === 'string' ? value : inspect(value)
          case 'd':
            return typeof value === 'bigint' ? `${value}n` : String(Number(value))
          case 'i':
            return String(Number.parseInt(String(value), 10))
          case 'f':
            return String(Number.parseFloat(String(value)))
          case 'j':
            return String(stringify(value))
          case 'c':
            return ''
          default:
            return inspect(value)
        }
      })
      rest = values.slice(next)
      if (rest.length > 0) text += ' '
    }
    text += rest.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ')
    return indent === '' ? text : `${indent}${text.replaceAll('\n', `\n${indent}`)}`
  }
  const log = (...values: unknown[]): void => put('stdout', `${form(values)}\n`)
  const complain = (...values: unknown[]): void => put('stderr', `${form(values)}\n`)
  const group = (...values: unknown[]): void => {
    if (values.length > 0) log(...values)
    if (indent.length < 80) indent += '  '
  }
  const counts = new Map<string, number>()
  const started = new Map<string, number>()
  const took = (label: unknown): string => {
    const from = started.get(String(label))
    return from === undefined ? `${label}: was not started` : `${label}: ${(now() - from).toFixed(3)} ms`
  }
  const table = (rows: unknown): void => {
    if (typeof rows !== 'object' || rows === null) {
      log(rows)
      return
    }
    const columns: string[] = []
    const lines: string[][] = []
    const cellsOf = (row: unknown): readonly (readonly [string, unknown])[] =>
      typeof row === 'object' && row !== null ? entries(row) : [['Values', row]]
    const all: readonly (readonly [string, unknown])[] = entries(rows)
    const kept = all.slice(0, 1_000)
    for (const [, row] of kept) {
      for (const [name] of cellsOf(row)) if (!columns.includes(name) && columns.length < 50) columns.push(name)
    }
    lines.push(['(index)', ...columns])
    for (const [index, row] of kept) {
      const cells = new Map(cellsOf(row))
      lines.push([index, ...columns.map((name) => (cells.has(name) ? inspect(cells.get(name)).replaceAll('\n', ' ') : ''))])
    }
    const widths = (lines[0] ?? []).map((_, column) => lines.reduce((most, line) => Math.max(most, line[column]?.length ?? 0), 0))
    const shown = lines.map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    shown.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`)
    if (all.length > kept.length) shown.push(`… ${all.length - kept.length} more`)
    log(shown.join('\n'))
  }
  return {
    log,
    info: log,
    debug: log,
    dir: (value: unknown) => log(inspect(value)),
    table,
    error: complain,
    warn: complain,
    trace: (...values: unknown[]) => complain('Trace:', ...values, `\n${new Error().stack ?? ''}`),
    assert: (holds: unknown, ...values: unknown[]) => {
      if (!holds) complain('Assertion failed', ...values)
    },
    group,
    groupCollapsed: group,
    groupEnd: () => {
      indent = indent.slice(2)
    },
    count: (label: unknown = 'default') => {
      const count = (counts.get(String(label)) ?? 0) + 1
      counts.set(String(label), count)
      log(`${label}: ${count}`)
    },
    countReset: (label: unknown = 'default') => void counts.delete(String(label)),
    time: (label: unknown = 'default') => void started.set(String(label), now()),
    timeLog: (label: unknown = 'default', ...values: unknown[]) => log(took(label), ...values),
    timeEnd: (label: unknown = 'default') => {
      log(took(label))
      started.delete(String(label))
    },
  }
}
