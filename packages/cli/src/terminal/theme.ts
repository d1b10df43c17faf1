/** Colours by meaning, and none at all where they are not wanted. */
import { styleText } from 'node:util'
import type { Effect, Outcome } from '@adjutant/core'
import { type Symbols, symbolsFor } from './symbols.ts'

export type Tone = 'plain' | 'name' | 'quiet' | 'good' | 'bad' | 'warning' | 'accent' | 'danger' | 'marked'

interface TextStyle {
  readonly color?: string
  readonly bold?: boolean
  readonly dimColor?: boolean
  readonly inverse?: boolean
  readonly underline?: boolean
}

export interface Theme {
  readonly symbols: Symbols
  /** Tones can be seen; without, what stands out is pointed at. */
  readonly colour: boolean
  /** For a drawn terminal. */
  style(tone: Tone): TextStyle
  /** For a plain line. */
  paint(tone: Tone, text: string): string
}

const STYLES: Readonly<Record<Tone, TextStyle>> = {
  plain: {},
  name: { bold: true },
  quiet: { dimColor: true },
  good: { color: 'green' },
  bad: { color: 'red' },
  warning: { color: 'yellow' },
  accent: { color: 'cyan' },
  danger: { color: 'red', bold: true, inverse: true },
  marked: { color: 'yellow', bold: true, underline: true },
}

const FORMATS = {
  name: 'bold',
  quiet: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
  accent: 'cyan',
  danger: ['red', 'bold', 'inverse'],
  marked: ['yellow', 'bold', 'underline'],
} satisfies Partial<Record<Tone, Parameters<typeof styleText>[0]>>

export function themeFor(options: { readonly colour: boolean; readonly unicode: boolean }): Theme {
  return {
    symbols: symbolsFor(options.unicode),
    colour: options.colour,
    style: (tone) => (options.colour ? STYLES[tone] : STYLES.plain),
    paint: (tone, text) => (options.colour && tone !== 'plain' ? styleText(FORMATS[tone], text, { validateStream: false }) : text),
  }
}

export function outcomeSign(outcome: Outcome, symbols: Symbols): { readonly sign: string; readonly tone: Tone } {
  switch (outcome) {
    case 'ok':
      return { sign: symbols.ok, tone: 'good' }
    case 'failed':
      return { sign: symbols.failed, tone: 'bad' }
    case 'not-run':
      return { sign: symbols.notRun, tone: 'warning' }
    case 'unknown':
      return { sign: symbols.unknown, tone: 'bad' }
    default:
      return outcome satisfies never
  }
}

/** How the question names what a call may do. */
export function effectWords(effect: Effect): { readonly words: string; readonly tone: Tone } {
  switch (effect) {
    case 'read':
      return { words: 'reads', tone: 'good' }
    case 'write':
      return { words: 'changes something', tone: 'warning' }
    case 'dangerous':
      return { words: 'DANGEROUS', tone: 'bad' }
    default:
      return effect satisfies never
  }
}
