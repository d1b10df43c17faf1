/** Owns the answer to "why was this text not found?": the usual reasons of models, tried one by one, then the most similar place. */
import { AdjutantError } from '@adjutant/core/contract'
import { similarity } from '../text/similar-text.ts'

/** Comparing costs time for each line; a longer file gives no hint about similar places. */
const MAX_LINES = 50_000
const MAX_LINE = 500

/** Both texts with `\n` as line end. */
export function explainMissing(text: string, wanted: string): AdjutantError {
  return new AdjutantError('NOT_FOUND', 'old_text does not occur in the file; nothing was changed', { hint: reason(text, wanted) })
}

function reason(text: string, wanted: string): string {
  if (text.length === 0) return 'The file is empty; use write_file.'
  const bare = withoutNumbers(wanted)
  if (bare !== undefined && text.includes(bare)) return 'Quote the text without the line numbers and tabs that read_file puts before it.'
  const lines = text.split('\n')
  if (lines.length > MAX_LINES) return 'Read the place again with read_file and quote it exactly.'
  const loose = looseMatch(lines, wanted)
  if (loose !== undefined) {
    return `Lines ${loose.from}–${loose.to} are the same except for white space; quote them exactly, indentation included: ${quote(lines[loose.from - 1] ?? '')}`
  }
  if (text.toLowerCase().includes(wanted.toLowerCase())) return 'It occurs with other upper and lower case; quote it exactly.'
  const straight = straighten(wanted)
  if (straighten(text).includes(straight))
    return 'It occurs with other quotation marks, dashes or spaces; quote it exactly as read_file shows it.'
  const similar = mostSimilar(lines, wanted)
  if (similar === undefined) return 'Nothing in the file resembles it; read the file again and quote it exactly.'
  return `The most similar place is line ${similar}: ${quote(lines[similar - 1] ?? '')}. Read around it and quote it exactly.`
}

function withoutNumbers(wanted: string): string | undefined {
  const lines = wanted.split('\n')
  const numbered = /^\s*\d+\t/
  if (!lines.every((line) => line === '' || numbered.test(line)) || !lines.some((line) => numbered.test(line))) return undefined
  return lines.map((line) => line.replace(numbered, '')).join('\n')
}

/** The first run of lines that equals `wanted` when white space does not count; 1-based. */
function looseMatch(lines: readonly string[], wanted: string): { readonly from: number; readonly to: number } | undefined {
  const wantedLines = wanted.split('\n').map(squeeze)
  while (wantedLines.length > 0 && wantedLines.at(-1) === '') wantedLines.pop()
  while (wantedLines.length > 0 && wantedLines[0] === '') wantedLines.shift()
  if (wantedLines.length === 0) return undefined
  const squeezed = lines.map(squeeze)
  for (let from = 0; from + wantedLines.length <= squeezed.length; from += 1) {
    if (wantedLines.every((line, index) => squeezed[from + index] === line)) return { from: from + 1, to: from + wantedLines.length }
  }
  return undefined
}

function squeeze(line: string): string {
  return line.replace(/\s+/g, '')
}

function straighten(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201A\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2007\u202F\u3000]/g, ' ')
}

function mostSimilar(lines: readonly string[], wanted: string): number | undefined {
  const key = wanted
    .split('\n')
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '')
    .slice(0, MAX_LINE)
  let best = 0.5
  let found: number | undefined
  for (const [index, line] of lines.entries()) {
    const score = similarity(key, line.trim().slice(0, MAX_LINE))
    if (score <= best) continue
    best = score
    found = index + 1
  }
  return found
}

function quote(line: string): string {
  return JSON.stringify(line.length > 160 ? `${line.slice(0, 160)}…` : line)
}
