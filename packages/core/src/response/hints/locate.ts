import type { FailureLocation } from '../../contract/result.ts'
import { type Diagnostic, DiagnosticReader } from './diagnostics.ts'
import { type Frame, frameOf } from './frames.ts'

/**
 * Owns: which of all places that a text names is where its failure lies. One pass over the lines; holds a bounded number of places.
 */

export interface Places {
  readonly frames: readonly PlacedFrame[]
  readonly diagnostics: readonly Diagnostic[]
}

interface PlacedFrame extends Frame {
  /** Counts the causes that a trace names one after the other. */
  readonly block: number
}

/** A line is looked at as far as this. */
const LONGEST_LINE = 1_000
/** Frames and diagnostics kept; of more, the last ones are not needed (first is innermost) or repeat (endless recursion). */
const MOST_PLACES = 5_000

export function placesOf(text: string): Places {
  const frames: PlacedFrame[] = []
  const diagnostics: Diagnostic[] = []
  const reader = new DiagnosticReader()
  let block = 0
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(start, Math.min(end, start + LONGEST_LINE)).trim()
    start = end + 1
    if (line.startsWith('Caused by: ') || line.startsWith('Traceback (most recent')) block++
    const frame = frameOf(line)
    if (frame !== undefined) {
      // Of an endless recursion in Python the last frames are the telling ones.
      if (frames.length >= MOST_PLACES) frames.splice(0, MOST_PLACES / 2)
      frames.push({ ...frame, block })
    } else {
      const diagnostic = reader.read(line)
      if (diagnostic !== undefined && diagnostics.length < MOST_PLACES) diagnostics.push(diagnostic)
    }
  }
  return { frames, diagnostics }
}

/**
 * A message with the word error comes first, then the innermost frame of the user's own files, then a message without such a word, then the
 * innermost frame of a library, then a warning. A program without a file (`node -e`) lies nowhere.
 */
export function locate({ frames, diagnostics }: Places): FailureLocation | undefined {
  const error = diagnostics.find((one) => one.severity === 'error')
  if (error !== undefined) return plain(error)
  const frame = userFrame(frames)
  if (frame !== undefined) return plain(frame)
  const unsaid = diagnostics.find((one) => one.severity === 'unsaid')
  if (unsaid !== undefined) return plain(unsaid)
  if (frames.some((one) => one.owner === 'none')) return undefined
  const library = frames[0]?.order === 'last' ? frames.at(-1) : frames[0]
  if (library !== undefined) return plain(library)
  const warning = diagnostics.find((one) => one.severity === 'warning') ?? diagnostics[0]
  return warning === undefined ? undefined : plain(warning)
}

function userFrame(frames: readonly PlacedFrame[]): PlacedFrame | undefined {
  const last = frames.findLast((one) => one.owner === 'user')
  if (last === undefined || last.order === 'last') return last
  return frames.find((one) => one.owner === 'user' && one.block === last.block)
}

function plain({ file, line, column }: FailureLocation): FailureLocation {
  return column === undefined ? { file, line } : { file, line, column }
}

/** All places that a text names, in its order, messages of compilers and linters before frames. */
export function locationsOf(text: string): readonly FailureLocation[] {
  const { frames, diagnostics } = placesOf(text)
  return [...diagnostics, ...frames.filter((one) => one.owner !== 'none')].map(plain)
}
