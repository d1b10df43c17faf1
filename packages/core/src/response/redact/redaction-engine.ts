/**
 * Owns taking secrets out of a text that comes whole or in pieces: one engine for both, so that the pieces never matter. It holds back
 * what a secret may still span, at most {@link MAX_HELD} characters and the newest piece. Private keys of any length pass through
 * without being held. Not for concurrent use: a piece may be given when the one before it is done.
 */
import { type Finding, IDENTITY_CHARS, type LabelBook } from './finding.ts'
import { KEY_STEP, keyStep } from './key-block.ts'
import { findByRules } from './rule-set.ts'
import { type Candidate, LOOK_BACK, type RankedFinding, type Scan, scan } from './scan.ts'
import type { ValueSearch } from './secret-values.ts'
import { SHAPE_REACH } from './token-shapes.ts'

/** The rule set is given no more at a time. */
const MAX_WINDOW = 6_144
/** Fewer new characters than this are not worth a look. */
const MIN_STEP = 512

export const MAX_HELD: number = MAX_WINDOW + SHAPE_REACH + 2 * LOOK_BACK + MIN_STEP

const TOKEN_CHARACTER = /[A-Za-z0-9_+/=.~-]/

export interface RedactionRules {
  readonly values: ValueSearch | undefined
  readonly rules: boolean
  readonly allow: ReadonlySet<string>
  readonly labels: LabelBook
}

interface Window {
  readonly start: number
  end: number
  readonly candidates: Candidate[]
}

interface OpenKey {
  start: number
  at: number
  lines: boolean
  /** Its beginning, known before its end is. */
  identity?: string
}

interface Accepted extends RankedFinding {
  /** Goes on for as long as token characters do. */
  readonly open?: boolean
}

export class RedactionEngine {
  readonly #rules: RedactionRules
  #text = ''
  /** Up to where the text was looked at, was given out, and is covered by a label already. */
  #scanned = 0
  #given = 0
  #covered = 0
  #eating = false
  #last: Accepted | undefined
  #findings: Accepted[] = []
  #window: Window | undefined
  #key: OpenKey | undefined
  #count = 0

  constructor(rules: RedactionRules) {
    this.#rules = rules
  }

  /** Secrets taken out so far. */
  get count(): number {
    return this.#count
  }

  /** Takes a piece, gives back what is safe. `last`: nothing more comes, everything is given back. */
  push(piece: string, last: boolean): string | Promise<string> {
    this.#text += piece
    const { length } = this.#text
    const to = last ? length : length - SHAPE_REACH
    if (!last && to - this.#scanned < MIN_STEP) return ''
    const { values, rules } = this.#rules
    const found = scan(this.#text, this.#scanned, to, values, rules)
    this.#scanned = to
    const windows = this.#note(found, to, last)
    if (windows.length === 0) return this.#give(to, last)
    return this.#ask(windows).then(() => this.#give(to, last))
  }

  #note(found: Scan | undefined, to: number, last: boolean): readonly Window[] {
    for (const finding of found?.findings ?? []) this.#findings.push(finding)
    this.#followKey(to, last)
    for (const { at, headerEnd } of found?.keys ?? []) {
      // One inside of another cannot be: the dash ends a key.
      this.#key = { start: at, at: headerEnd, lines: false }
      this.#followKey(to, last)
    }
    const closed: Window[] = []
    for (const candidate of found?.candidates ?? []) {
      const open = this.#window
      const end = candidate.at + SHAPE_REACH
      if (open !== undefined && candidate.at - LOOK_BACK <= open.end && end - open.start <= MAX_WINDOW) {
        open.end = end
        open.candidates.push(candidate)
        continue
      }
      if (open !== undefined) closed.push(open)
      this.#window = { start: Math.max(0, candidate.at - LOOK_BACK), end, candidates: [candidate] }
    }
    const open = this.#window
    if (open !== undefined && (last || to > open.end + LOOK_BACK)) {
      closed.push(open)
      this.#window = undefined
    }
    return closed
  }

  #followKey(to: number, last: boolean): void {
    const key = this.#key
    if (key === undefined) return
    while (last || key.at + KEY_STEP <= this.#text.length) {
      const step = keyStep(this.#text, key.at, key.lines)
      key.at = step.end
      key.lines = true
      if (step.done || key.at - key.start >= IDENTITY_CHARS) {
        key.identity ??= this.#text.slice(key.start, Math.min(key.at, key.start + IDENTITY_CHARS))
      }
      if (step.done) {
        this.#findings.push(keyFinding(key))
        this.#key = undefined
        return
      }
      if (!last && key.at >= to + SHAPE_REACH) return
    }
  }

  async #ask(windows: readonly Window[]): Promise<void> {
    for (const { start, end, candidates } of windows) {
      const text = this.#text.slice(start, end)
      const found = await findByRules(text)
      // The rules could not be asked: what looks like a token is taken for one.
      const findings: readonly Finding[] =
        found ?? candidates.map((candidate) => ({ start: candidate.at - start, end: candidate.end - start, kind: 'token' }))
      for (const finding of findings) {
        const open = finding.end === text.length
        this.#findings.push({ start: start + finding.start, end: start + finding.end, kind: finding.kind, rank: 2, open })
      }
    }
  }

  #give(to: number, last: boolean): string {
    const text = this.#text
    let end = last ? text.length : Math.min(to - LOOK_BACK, this.#window?.start ?? to)
    const key = this.#key
    if (key !== undefined) end = Math.min(end, key.identity === undefined ? key.start : key.at)
    // Whoever writes pieces as UTF-8 must not get half of a pair.
    if (!last && end > this.#given && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1
    const pieces: string[] = []
    this.#eat(last)
    // A key that has not ended covers what was read of it.
    const all = key?.identity === undefined ? this.#findings : [...this.#findings, keyFinding(key)]
    if (all.length > 0) {
      const ready = all
        .filter(({ start }) => start < end || last)
        .sort((one, other) => one.start - other.start || other.end - one.end || one.rank - other.rank)
      this.#findings = this.#findings.filter(({ start }) => start >= end && !last)
      for (const finding of ready) this.#take(finding, pieces, last)
    }
    if (end > this.#given) {
      const from = Math.max(this.#given, this.#covered)
      if (end > from) pieces.push(text.slice(from, end))
      this.#given = end
    }
    this.#forget(last)
    return pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('')
  }

  #take(finding: Accepted, pieces: string[], last: boolean): void {
    const found = this.#text.slice(finding.start, finding.end)
    if (finding.end <= finding.start || this.#rules.allow.has(found)) return
    const goesOn = finding.start === this.#covered && finding.identity !== undefined && finding.identity === this.#last?.identity
    if (finding.start >= this.#covered && !goesOn) {
      const from = Math.max(this.#given, this.#covered)
      if (finding.start > from) pieces.push(this.#text.slice(from, finding.start))
      pieces.push(this.#rules.labels.label(finding, found))
      this.#given = Math.max(this.#given, finding.start)
      this.#last = finding
      this.#count += 1
    }
    if (finding.end < this.#covered) return
    this.#covered = finding.end
    this.#eating = finding.open === true
    this.#eat(last)
  }

  #eat(last: boolean): void {
    if (!this.#eating) return
    while (this.#covered < this.#text.length && TOKEN_CHARACTER.test(this.#text.charAt(this.#covered))) this.#covered += 1
    if (this.#covered < this.#text.length || last) this.#eating = false
  }

  /** Lets go of what nothing looks back at any more. */
  #forget(last: boolean): void {
    if (last) {
      this.#text = ''
      return
    }
    const cut = Math.min(this.#given, this.#scanned - LOOK_BACK)
    if (cut <= 0) return
    this.#text = this.#text.slice(cut)
    this.#scanned -= cut
    this.#given -= cut
    this.#covered -= cut
    if (this.#key !== undefined) {
      this.#key.start -= cut
      this.#key.at -= cut
    }
    if (this.#window !== undefined) {
      const { start, end, candidates } = this.#window
      this.#window = { start: start - cut, end: end - cut, candidates: candidates.map((one) => ({ at: one.at - cut, end: one.end - cut })) }
    }
    this.#findings = this.#findings.map((finding) => ({ ...finding, start: finding.start - cut, end: finding.end - cut }))
  }
}

function keyFinding(key: OpenKey): Accepted {
  return { start: key.start, end: key.at, kind: 'private-key', identity: key.identity ?? '', rank: 1 }
}
