/**
 * Owns what a run prints, while it prints: both streams in the order in which they came, as text; the last line, for whoever watches; and whether it
 * seems to wait for somebody to type. Bytes that are no UTF-8 become replacement characters; a character that comes in two pieces stays whole.
 */
import { stripVTControlCharacters } from 'node:util'
import type { SandboxReport } from '@adjutant/core/contract'

const LONGEST_LINE = 300
/** Characters at the end that are looked at while it runs. */
const TAIL = 2_000

/** Characters; longer ones are private keys, which are recognised by their beginning. */
const LONGEST_SECRET = 8_192

/** What asks for an answer, at the end of a line that has not ended. Only looked at in a short line. */
const PROMPT =
  /(?:\[y\/n\]:?|\(y\/n\)[:?]?|\[yes\/no\]:?|\(yes\/no(?:\/\[fingerprint\])?\)[:?]?|\bpass(?:word|phrase)\b.*:|\busername\b.*:|\blogin:|\bpress (?:enter|return|any key)\b.*|\?|^(?:>>>|>|\.\.\.|\(gdb\)|mysql>|sqlite>|[a-z_]+=[#>]))\s*$/i

/** What programs say that found nobody there to ask. */
const NOBODY_THERE =
  /EOF when reading a line|inappropriate ioctl for device|not a (?:tty|terminal)\b|no tty present|a terminal is required|must be run from a terminal|\bEOFError\b/i

export class RunOutput {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  readonly #parts: string[] = []
  /** Kept apart: to look for the last line in all of it would cost more with each piece. */
  #tail = ''
  #bytes = 0

  add(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    this.#bytes += bytes.byteLength
    const text = this.#decoders[stream].decode(bytes, { stream: true })
    this.#parts.push(text)
    this.#tail = (this.#tail + text.slice(-TAIL)).slice(-TAIL)
  }

  /** For people: the last line with something in it, without what moves a cursor. */
  lastLine(): string {
    const lines = plain(this.#tail).split(/[\r\n]/)
    const line = lines.findLast((one) => one.trim() !== '')?.trim() ?? ''
    return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…`.toWellFormed() : line
  }

  /** The question that it ended with, when it looks like one. */
  prompt(): string | undefined {
    const tail = plain(this.#tail)
    const line = tail.slice(Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('\r')) + 1)
    return line.length <= LONGEST_LINE && PROMPT.test(line) ? line.trim() : undefined
  }

  /** Whether it says that it wanted to ask somebody. */
  missedSomebody(): boolean {
    return NOBODY_THERE.test(this.#tail) || this.prompt() !== undefined
  }

  /**
   * All of it; as the report tells it where not everything came while it ran. Where a limit cut it, what was being written then is left out: half of
   * a secret would be recognised by nobody.
   */
  text(report?: Pick<SandboxReport, 'stdout' | 'stderr' | 'truncated'>): string {
    const ended = report?.truncated === true ? withoutOpenEnd : (text: string): string => text
    if (report === undefined || report.stdout.byteLength + report.stderr.byteLength === this.#bytes) return ended(this.#parts.join(''))
    const [out = '', err = ''] = [report.stdout, report.stderr].map((bytes) => ended(new TextDecoder().decode(bytes)))
    return out === '' || out.endsWith('\n') ? `${out}${err}` : `${out}${err === '' ? '' : '\n'}${err}`
  }
}

/** Without its last line, or of a very long one without as much as any secret may be long. */
function withoutOpenEnd(text: string): string {
  const from = Math.max(0, text.length - LONGEST_SECRET)
  const line = text.lastIndexOf('\n') + 1
  return text.slice(0, Math.max(from, line)).toWellFormed()
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\r\t]/gu, '')
}
