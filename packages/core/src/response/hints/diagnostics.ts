import { isDigit, isFileName, isPseudoFile, type Place, placeOf } from './place.ts'

/**
 * Owns: the lines in which compilers, linters and test runners name a place: `file:1:2: error: …`, `file(1,2): …`, `file[1, 2]: …`,
 * `--> file:1:2`, `file:[1,2] …`, `file: line 1: …`, `file="…" line="…"`. Reads one line at a time; what a line before it said (the file of a
 * list of findings, the word error above an arrow) is kept in the reader.
 */

export type Severity = 'error' | 'unsaid' | 'warning' | 'note'

export interface Diagnostic extends Place {
  readonly severity: Severity
}

/** Places tried in one line: a line that has more is no message of a compiler. */
const MOST_TRIES = 6

export class DiagnosticReader {
  /** What the last line that began with such a word said. */
  #above: Severity = 'unsaid'
  /** A line that was nothing but a file: findings may follow. */
  #file: string | undefined

  /** `line` without spaces around it. */
  read(line: string): Diagnostic | undefined {
    const first = line.charCodeAt(0)
    if (isDigit(first) && this.#file !== undefined) {
      const row = listRow(this.#file, line)
      if (row !== undefined) return row
    }
    if (line.startsWith('-->') || line.startsWith('╭─[') || line.startsWith('::: ')) return this.#arrow(line)
    const worded = wordedSeverity(line)
    if (worded !== undefined) this.#above = worded
    const found = readLine(line)
    if (found !== undefined) return found
    if (line === '') this.#file = undefined
    else if (line.length < 400 && isFileName(line) && !line.includes(' ')) this.#file = line
    return undefined
  }

  #arrow(line: string): Diagnostic | undefined {
    const text = line.replace(/^(?:--> ?|╭─\[|::: )/, '').replace(/\]$/, '')
    const found = colonPlace(text)
    return found === undefined ? undefined : { ...found, severity: line.startsWith(':::') ? 'note' : this.#above }
  }
}

/** `12:5  error  text  rule` below the name of the file. */
function listRow(file: string, line: string): Diagnostic | undefined {
  const found = /^(\d{1,7}):(\d{1,7})\s{1,8}(error|warning|✖|⚠|×)?/.exec(line)
  if (found === null) return undefined
  return at(placeOf(file, Number(found[1]), Number(found[2])), found[3] === undefined ? 'unsaid' : severityOf(found[3]))
}

function at(place: Place | undefined, severity: Severity): Diagnostic | undefined {
  return place === undefined || isPseudoFile(place.file) ? undefined : { ...place, severity }
}

function readLine(line: string): Diagnostic | undefined {
  if (!/\d/.test(line)) return undefined
  return makeRule(line) ?? colonPlace(line) ?? bracketPlace(line) ?? lineWord(line) ?? attributes(line) ?? undefined
}

/** Tags that build tools put in front: `[error] `, `e: `, `ERROR in `, `location: '`. */
function withoutTags(line: string): { readonly text: string; readonly severity: Severity } {
  const tag =
    /^(?:\[(error|warn|warning|info|ERROR|WARNING|INFO|WARN)\]\s{0,4}|(e|w): |(ERROR|WARNING) in (?:\[[^\]]{1,40}\] )?|(error|warning|fatal|fatal error): |location: '|not ok \d{1,6} - |× |✘ |✖ )/.exec(
      line,
    )
  if (tag === null) return { text: line, severity: 'unsaid' }
  const word = tag[1] ?? tag[2] ?? tag[3] ?? tag[4]
  return { text: line.slice(tag[0].length), severity: word === undefined ? 'unsaid' : severityOf(word) }
}

function wordedSeverity(line: string): Severity | undefined {
  const found = /^(error|warning|note|help|info|Error|ERROR|WARNING)\b/.exec(line)
  return found === null ? undefined : severityOf(found[1] ?? '')
}

/** What a compiler puts behind the place. */
function severityOf(text: string): Severity {
  const word = /^[^A-Za-z✖×⚠]{0,4}([A-Za-z]{1,12}|[✖×⚠])/.exec(text)?.[1]?.toLowerCase()
  switch (word) {
    case 'error':
    case 'errors':
    case 'fatal':
    case 'syntaxerror':
    case 'assertionerror':
    case 'undefined':
    case 'panic':
    case 'failure':
    case 'e':
    case '✖':
    case '×':
      return 'error'
    case 'warning':
    case 'warn':
    case 'w':
    case '⚠':
    case 'deprecated':
      return 'warning'
    case 'note':
    case 'info':
    case 'hint':
    case 'help':
    case 'remark':
    case 'suggestion':
    case 'style':
      return 'note'
    default:
      return 'unsaid'
  }
}

/** `file:1`, `file:1:2`, `file:1.2-5`, `file:[1,2]`, `file:1,2` with anything or nothing behind. */
function colonPlace(line: string): Diagnostic | undefined {
  const { text, severity } = withoutTags(line)
  let tries = 0
  for (let colon = text.indexOf(':'); colon !== -1 && tries < MOST_TRIES; colon = text.indexOf(':', colon + 1)) {
    const bracket = text.charAt(colon + 1) === '[' || text.startsWith(': (', colon)
    const start = text.charAt(colon + 1) === '[' ? colon + 2 : bracket ? colon + 3 : colon + 1
    if (!isDigit(text.charCodeAt(start))) continue
    tries++
    const numbers = /^(\d{1,7})(?:(?::|, ?|\.)(\d{1,7}))?(?:-\d{1,7}(?::\d{1,7})?)?(?=[\])]|[\s:,'"]|$)/.exec(text.slice(start, start + 50))
    if (numbers === null) continue
    const rest = text.slice(start + numbers[0].length).replace(/^[\]):,\s]{1,4}/, '')
    const said = severityOf(rest)
    const before = text.slice(0, colon)
    // A program without an ending, such as bin/start: its folder and the column tell it from a host and port.
    const bare = numbers[2] !== undefined && /^[\w./-]{1,200}\/[\w-]{1,100}$/.test(before) ? before : undefined
    const file = fileBefore(before, said === 'error' || said === 'warning') ?? bare
    if (file === undefined) continue
    return at(
      placeOf(file, Number(numbers[1]), numbers[2] === undefined ? undefined : Number(numbers[2])),
      said === 'unsaid' ? severity : said,
    )
  }
  return undefined
}

/** Programs that put their own name before the place. */
const INTERPRETER = /^(?:lua[\d.]{0,5}|luajit|ruby|awk|gawk|mawk|sed|php|tclsh|nginx|sass):$/

/** The file that `text` ends with. With spaces in it where it is rooted, or where what follows leaves no doubt that it is a message. */
function fileBefore(text: string, sure: boolean): string | undefined {
  const trimmed = text.trim()
  if (!isFileName(trimmed)) return undefined
  if (!trimmed.includes(' ')) return /[@=|;]/.test(trimmed) && !/[\\/]/.test(trimmed) ? undefined : trimmed.replace(/^["'(]/, '')
  if (/^(?:\/|\.{1,2}[\\/]|[A-Za-z]:[\\/]|file:\/\/)/.test(trimmed)) return trimmed
  if (sure && !/: | (?:in|at|from|of|on|is|file) /.test(trimmed)) return trimmed
  const last = trimmed.slice(trimmed.lastIndexOf(' ') + 1).replace(/^["'(]/, '')
  if (INTERPRETER.test(trimmed.slice(0, trimmed.lastIndexOf(' ')))) return last
  // Prose before the place: only a path counts, or the word that says where.
  return /[\\/]/.test(last) || / (?:in|at|from|file)$/i.test(trimmed.slice(0, trimmed.lastIndexOf(' '))) ? last : undefined
}

/** `file(1,2): …` of Microsoft's tools and the Windows world, `file[1, 2]: …` of tslint. */
function bracketPlace(line: string): Diagnostic | undefined {
  const found = /[([](\d{1,7})(?:, ?(\d{1,7}))?(?:,\d{1,7},\d{1,7})?[)\]] ?: ?/.exec(line)
  if (found === null) return undefined
  const { text, severity } = withoutTags(line.slice(0, found.index))
  const file = fileBefore(text, true)
  if (file === undefined) return undefined
  const said = severityOf(line.slice(found.index + found[0].length))
  const column = found[2] === undefined ? undefined : Number(found[2])
  return at(placeOf(file, Number(found[1]), column), said === 'unsaid' ? severity : said)
}

/** `deploy.sh: line 5: …`, `on main.tf line 5, in …`, `In a.sh line 5:`, `"a.yml", line 3, column 5`. */
function lineWord(line: string): Diagnostic | undefined {
  const found = /(?:: |,? )(?:on |at )?line:? (\d{1,7})(?:,? col(?:umn)?:? (\d{1,7}))?/.exec(line)
  if (found === null) return undefined
  const before = line.slice(0, found.index).replace(/[",]+$/, '')
  const quote = before.lastIndexOf('"')
  const file = quote === -1 ? before.slice(before.lastIndexOf(' ') + 1) : before.slice(quote + 1)
  if (!isFileName(file)) return undefined
  return at(placeOf(file, Number(found[1]), found[2] === undefined ? undefined : Number(found[2])), 'error')
}

/** `error file=/a.scala message=… line=6 column=7`, `<error line="3" …/>` is left to its own tools. */
function attributes(line: string): Diagnostic | undefined {
  const found = /^(\w{1,10}) file=(\S{1,400}) (?:.*) line=(\d{1,7})(?: column=(\d{1,7}))?$/.exec(line)
  if (found !== null) {
    const column = found[4] === undefined ? undefined : Number(found[4])
    return at(placeOf(found[2] ?? '', Number(found[3]), column), severityOf(found[1] ?? ''))
  }
  // The workflow command of continuous integration: ::error file=a.ts,line=3,col=5::text
  const command = /^::(error|warning|notice) file=([^,]{1,400}),line=(\d{1,7})(?:,[^:]{0,40}?col(?:umn)?=(\d{1,7}))?/.exec(line)
  if (command === null) return undefined
  const column = command[4] === undefined ? undefined : Number(command[4])
  return at(placeOf(command[2] ?? '', Number(command[3]), column), severityOf(command[1] ?? ''))
}

/** `make: *** [Makefile:7: all] Error 1`: the rule, not the cause; and `build:2: *** missing separator`, whatever the file is called. */
function makeRule(line: string): Diagnostic | undefined {
  const found = /^(?:g?make)(?:\[\d{1,4}\])?: \*\*\* \[([^\]:]{1,300}):(\d{1,7}): /.exec(line)
  if (found !== null) return at(placeOf(found[1] ?? '', Number(found[2])), 'unsaid')
  const fault = /^([^\s:]{1,300}):(\d{1,7}): \*\*\* /.exec(line)
  return fault === null ? undefined : at(placeOf(fault[1] ?? '', Number(fault[2])), 'error')
}
