/** The signs in front of lines, with stand-ins for terminals that know only ASCII. */
export interface Symbols {
  readonly ok: string
  readonly failed: string
  readonly notRun: string
  readonly unknown: string
  readonly waiting: string
  readonly ellipsis: string
  readonly pointer: string
  readonly spinner: readonly string[]
  readonly border: 'round' | 'classic'
  readonly cursor: string
  /** Before a line that goes on from the one above. One column. */
  readonly wrap: string
}

const UNICODE: Symbols = {
  ok: '✓',
  failed: '✗',
  notRun: '–',
  unknown: '?',
  waiting: '·',
  ellipsis: '…',
  pointer: '❯',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
  border: 'round',
  cursor: '▏',
  wrap: '↪',
}

const ASCII: Symbols = {
  ok: '+',
  failed: 'x',
  notRun: '-',
  unknown: '?',
  waiting: '.',
  ellipsis: '...',
  pointer: '>',
  spinner: ['-', '\\', '|', '/'],
  border: 'classic',
  cursor: '_',
  wrap: '\\',
}

export function symbolsFor(unicode: boolean): Symbols {
  return unicode ? UNICODE : ASCII
}
