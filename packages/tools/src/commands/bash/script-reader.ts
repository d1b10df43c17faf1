/**
 * Owns the walk over a script: each simple command, redirection, assignment and substitution becomes a part. The parser is not believed blindly: between its
 * nodes only blanks may stand, its words may have no operators in them, a here-document ends where a shell would end it.
 */
import type { CommandPart } from '@adjutant/core'
import { isDangerousVariable } from './data/variables.ts'
import { feedsPaths } from './feeds-paths.ts'
import { checkHereDocumentEnd } from './here-document.ts'
import { hidesCode } from './hides-code.ts'
import { judgeAssignment } from './judge-assignment.ts'
import { judgeCommand } from './judge-command.ts'
import { judgeRedirection } from './judge-redirection.ts'
import { MOST_NESTED, MOST_SCRIPTS, MOST_SHARED_UNITS } from './limits.ts'
import { partOf } from './reading.ts'
import type { Setting } from './setting.ts'
import type { ParseSyntax, SyntaxNode } from './syntax.ts'
import { COMPUTED, collectVariables, type Variables } from './variables.ts'
import { dangerous, read, type Verdict, worst, write } from './verdict.ts'
import { checkHereDocument, type Hole, readWord, type Word, WordProblem } from './word.ts'

/** What all scripts within one command share. */
export interface Shared {
  readonly parse: ParseSyntax
  scripts: number
  units: number
}

interface Place {
  readonly piped: boolean
  readonly pathsIn: boolean
}

function targetsOf(redirection: SyntaxNode): readonly SyntaxNode[] {
  return redirection.children.filter((child) => child.named && child.type !== 'file_descriptor')
}

const SPACE = /^(?:[ \t\n]|\\\n)*$/
/** Children of these lie apart in the text, or hold text that is no syntax. */
const LOOSE = new Set([
  'heredoc_redirect',
  'heredoc_body',
  'string',
  'translated_string',
  'expansion',
  'array',
  'regex',
  'extglob_pattern',
  'subscript',
  'case_item',
])
/** Prints a path from the root, or nothing. */
const GIVES_PATH =
  /^(?:\$\(|`)\s*(?:pwd(?:\s+-[LP])?|which\s+[\w.-]+|type\s+-p\s+[\w.-]+|(?:realpath|readlink\s+-f)\s+[\w./-]+|git\s+rev-parse\s+--show-toplevel)\s*[)`]$/
const ARITHMETIC = new Set(['arithmetic_expansion', 'c_style_for_statement'])
const COMPARES_NUMBERS = /^\[\[[\s\S]*\s-(?:eq|ne|lt|le|gt|ge)\s/

export class ScriptReader {
  readonly parts: CommandPart[] = []
  readonly #source: string
  readonly #shared: Shared
  readonly #depth: number
  #variables: Variables
  readonly #functions: Set<string>
  /** Depth of wrappers within wrappers. */
  #commands = 0
  #calculates = false
  #hidesCode = false

  constructor(source: string, shared: Shared, depth: number, variables: Variables, functions: ReadonlySet<string>) {
    this.#source = source
    this.#shared = shared
    this.#depth = depth
    this.#variables = variables
    this.#functions = new Set(functions)
  }

  read(): void {
    this.#shared.units += this.#source.length
    if (this.#depth > MOST_NESTED || ++this.#shared.scripts > MOST_SCRIPTS || this.#shared.units > MOST_SHARED_UNITS) {
      this.#add(0, this.#source.length, dangerous('has too many scripts within scripts'))
      return
    }
    const root = this.#shared.parse(this.#source)
    if (typeof root === 'string') {
      this.#add(0, this.#source.length, dangerous(`is ${root}`))
      return
    }
    this.#variables = collectVariables(root, this.#source, this.#variables)
    this.#collectFunctions(root)
    if (!SPACE.test(this.#source.slice(0, root.start)) || !SPACE.test(this.#source.slice(root.end)))
      this.#add(0, this.#source.length, dangerous('is not understood'))
    this.#walk(root, { piped: false, pathsIn: false })
    if (this.#calculates && this.#hidesCode)
      this.#add(0, this.#source.length, dangerous('has a command in brackets, which arithmetic runs'))
    this.parts.sort((a, b) => a.start - b.start)
  }

  #add(start: number, end: number, verdict: Verdict): void {
    this.parts.push(partOf(start, end, verdict))
  }

  #text(node: SyntaxNode): string {
    return this.#source.slice(node.start, node.end)
  }

  #collectFunctions(root: SyntaxNode): void {
    const waiting = [root]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      waiting.push(...node.children)
      const name = node.type === 'function_definition' ? node.children.find((child) => child.named) : undefined
      if (name !== undefined) this.#functions.add(this.#text(name))
    }
  }

  #walk(node: SyntaxNode, place: Place): void {
    if (node.type === 'ERROR' || node.missing) {
      this.#add(node.start, Math.max(node.end, node.start), dangerous('cannot be parsed'))
    } else if (!LOOSE.has(node.type) && node.named) this.#checkGaps(node)
    if (
      ARITHMETIC.has(node.type) ||
      (node.type === 'compound_statement' && node.children[0]?.type === '((') ||
      (node.type === 'test_command' && COMPARES_NUMBERS.test(this.#text(node)))
    )
      this.#calculate(node)
    switch (node.type) {
      case 'command':
        this.#command(node, place)
        return
      case 'pipeline':
        this.#pipeline(node, place)
        return
      case 'redirected_statement': {
        const feeds = node.children.some(
          (child) =>
            /^(?:heredoc_redirect|herestring_redirect)$/.test(child.type) ||
            (child.type === 'file_redirect' && this.#text(child).includes('<')),
        )
        const inner = feeds ? { piped: true, pathsIn: false } : place
        // The parser gives words that come after a redirection to it; a shell gives them to the command.
        const body = node.children[0]?.type === 'command' ? node.children[0] : undefined
        const more =
          body === undefined ? [] : node.children.flatMap((child) => (child.type === 'file_redirect' ? targetsOf(child).slice(1) : []))
        if (body !== undefined) this.#checkGaps(body)
        for (const child of node.children) {
          if (child === body) this.#command(child, inner, more)
          else if (child.type === 'file_redirect') {
            this.#checkGaps(child)
            this.#redirection(child, body !== undefined)
            for (const part of child.children) this.#walk(part, inner)
          } else this.#walk(child, inner)
        }
        return
      }
      case 'file_redirect':
        this.#redirection(node)
        break
      case 'herestring_redirect':
        this.#checkWords(node.children.filter((child) => child.type !== '<<<' && child.type !== 'file_descriptor'))
        break
      case 'heredoc_redirect':
        this.#hereDocument(node)
        for (const child of node.children) this.#walk(child, { piped: child.type === 'pipeline' || place.piped, pathsIn: false })
        return
      case 'variable_assignment':
        this.#assignment(node, 'alone')
        break
      case 'declaration_command':
        this.#declaration(node)
        return
      case 'unset_command': {
        const decides = node.children.some((child) => child.named && isDangerousVariable(this.#text(child)))
        if (hidesCode(this.#text(node))) this.#add(node.start, node.end, dangerous('runs what stands between the brackets'))
        else
          this.#add(
            node.start,
            node.end,
            decides ? dangerous('forgets a variable that decides what programs do') : read('forgets a variable'),
          )
        break
      }
      case 'test_command':
        this.#add(
          node.start,
          node.end,
          hidesCode(this.#text(node).replace(/"[^"']*"/g, '')) && /'/.test(this.#text(node))
            ? dangerous('may run what stands between the brackets')
            : read('compares'),
        )
        break
      case 'function_definition':
        this.#function(node)
        break
      case 'comment':
        if (this.#text(node).includes('\n') || !/[\s;&|()`]/.test(this.#source.charAt(node.start - 1) || ' '))
          this.#add(node.start, node.end, dangerous('is not understood'))
        return
      case 'expansion':
        if (/@P\}$/.test(this.#text(node))) this.#add(node.start, node.end, dangerous('runs what is in a value (@P)'))
        break
      case 'raw_string':
      case 'word':
        if (hidesCode(this.#text(node).replace(/\\/g, ''))) this.#hidesCode = true
        break
    }
    for (const child of node.children) this.#walk(child, place)
  }

  /** Arithmetic reads the value of a name as arithmetic again, and runs substitutions that it finds in its brackets. */
  #calculate(node: SyntaxNode): void {
    this.#calculates = true
    const waiting =
      node.type === 'c_style_for_statement'
        ? node.children.filter((child) => child.type !== 'do_group' && child.type !== 'compound_statement')
        : [node]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.type === 'command_substitution') continue
      waiting.push(...next.children)
      if ((next.type === 'variable_name' || next.type === 'word') && this.#variables.get(this.#text(next)) === COMPUTED) {
        this.#add(node.start, node.end, write('calculates with a value that is only known when it runs'))
        return
      }
    }
  }

  /** Between what the parser names nothing may stand that it passed over. */
  #checkGaps(node: SyntaxNode): void {
    let at = node.start
    for (const child of node.children) {
      if (child.start > at && !SPACE.test(this.#source.slice(at, child.start))) this.#add(at, child.start, dangerous('is not understood'))
      at = Math.max(at, child.end)
    }
    if (node.children.length > 0 && at < node.end && !SPACE.test(this.#source.slice(at, node.end)))
      this.#add(at, node.end, dangerous('is not understood'))
  }

  #pipeline(node: SyntaxNode, place: Place): void {
    let inner = place
    let last: SyntaxNode | undefined
    let paths: boolean | undefined = place.piped ? place.pathsIn : undefined
    for (const child of node.children) {
      this.#walk(child, inner)
      if (child.named) last = child
      else if (last !== undefined && (child.type === '|' || child.type === '|&')) {
        paths = child.type === '|' && feedsPaths(last, this.#source, paths)
        inner = { piped: true, pathsIn: paths }
      }
    }
  }

  #command(node: SyntaxNode, place: Place, more: readonly SyntaxNode[] = []): void {
    const ranges: { start: number; end: number; nodes: SyntaxNode[] }[] = []
    let piped = place.piped
    for (const child of [...node.children, ...more]) {
      if (child.type === 'variable_assignment') continue
      if (child.type === 'file_redirect' || child.type === 'herestring_redirect' || child.type === 'heredoc_redirect')
        piped ||= this.#text(child).includes('<')
      else {
        const last = ranges.at(-1)
        if (last !== undefined && this.#touches(last.end, child.start)) {
          last.end = child.end
          last.nodes.push(child)
        } else ranges.push({ start: child.start, end: child.end, nodes: [child] })
      }
    }
    for (const child of node.children) {
      if (child.type === 'variable_assignment') {
        this.#assignment(child, ranges.length === 0 ? 'alone' : 'before-command', this.#text(ranges[0]?.nodes[0] ?? node))
        for (const inner of child.children) this.#walk(inner, place)
      } else this.#walk(child, { piped, pathsIn: place.pathsIn })
    }
    const words: Word[] = []
    for (const range of ranges) {
      const read = this.#words(range.start, range.end, range.nodes)
      if (read instanceof WordProblem) {
        this.#add(range.start, range.end, dangerous(read.reason))
        return
      }
      words.push(...read)
    }
    const [first] = ranges
    const last = ranges.at(-1)
    if (first === undefined || last === undefined) return
    this.#add(first.start, last.end, this.#judge(words, { piped, pathsIn: place.pathsIn }))
  }

  /** Two nodes without a blank between them are one word to a shell; a continued line alone is no blank. */
  #touches(end: number, start: number): boolean {
    return !/[ \t\n]/.test(this.#source.slice(end, start).replaceAll('\\\n', ''))
  }

  #judge(words: readonly Word[], place: Place): Verdict {
    const setting: Setting = {
      ...place,
      functions: this.#functions,
      script: (text, at) => this.#script(text, at),
      command: (inner, changed) => {
        if (++this.#commands > MOST_NESTED) return dangerous('has too many commands within commands')
        try {
          return judgeCommand(inner, changed)
        } finally {
          this.#commands--
        }
      },
    }
    return judgeCommand(words, setting)
  }

  /** A script inside this one: its parts are told where its word stands, for its own offsets are those of another text. */
  #script(text: string, at: Word): Verdict {
    const reader = new ScriptReader(text, this.#shared, this.#depth + 1, this.#variables, this.#functions)
    reader.read()
    let found: Verdict = read('runs nothing')
    for (const { start: _start, end: _end, ...verdict } of reader.parts) {
      this.#add(at.start, at.end, verdict)
      found = found.program === undefined && found.effect === verdict.effect ? verdict : worst(found, verdict)
    }
    return found
  }

  #words(start: number, end: number, nodes: readonly SyntaxNode[]): readonly Word[] | WordProblem {
    const holes: Hole[] = []
    for (const node of nodes) this.#holes(node, holes)
    const words = readWord(this.#source, start, end, holes)
    if (words instanceof WordProblem) return words
    const [only] = holes
    // A variable alone, not quoted, becomes as many words as its value has.
    if (only?.value !== undefined && holes.length === 1 && only.start === start && only.end === end) {
      if (/[*?[]/.test(only.value)) return words
      const split: Word[] = []
      for (const text of only.value.split(/[ \t\n]+/))
        if (text !== '')
          split.push({ start, end, text, lead: text, pattern: text, opens: [], splits: false, substitution: false, disguised: false })
      return split
    }
    return words
  }

  #holes(node: SyntaxNode, holes: Hole[]): void {
    const { start, end } = node
    switch (node.type) {
      case 'command_substitution':
        holes.push({
          start,
          end,
          kind: GIVES_PATH.test(this.#text(node)) ? 'environment' : 'script',
          substitution: true,
        })
        return
      case 'process_substitution':
        holes.push({ start, end, kind: 'file', substitution: false })
        return
      case 'arithmetic_expansion':
        holes.push({ start, end, kind: 'number', substitution: false })
        return
      case 'simple_expansion':
      case 'expansion': {
        const name = /^\s*\$\{?#?!?([A-Za-z_]\w*|\d+|[@*#?$!-])/.exec(this.#text(node))?.[1] ?? ''
        const plain = /^\s*\$(?:\w+|\{\w+\}|[@*])$/.test(this.#text(node))
        const counted = /^\s*\$(?:\{#|[#?$!])/.test(this.#text(node))
        const known = this.#variables.has(name)
        const constant = plain ? this.#variables.get(name) : undefined
        const value = constant === COMPUTED ? undefined : constant
        const own =
          // All words that a script or function was called with: as a rule options are among them.
          name === '@' ||
          name === '*' ||
          known ||
          (!plain &&
            node.children.some((child) => child.type === 'command_substitution' || /^:?[-+=]$|^\/|^[#%]/.test(child.type)) &&
            /[-+=/]-/.test(this.#text(node)))
        holes.push({
          start,
          end,
          kind: counted ? 'number' : own || /^\s*\$\{!/.test(this.#text(node)) ? 'script' : 'environment',
          substitution: node.children.some((child) => child.type === 'command_substitution'),
          ...(value === undefined ? {} : { value }),
        })
        return
      }
      default:
        for (const child of node.children) this.#holes(child, holes)
    }
  }

  #checkWords(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) {
      const words = this.#words(node.start, node.end, [node])
      if (words instanceof WordProblem) this.#add(node.start, node.end, dangerous(words.reason))
    }
  }

  #redirection(node: SyntaxNode, hasCommand = false): void {
    const targets = targetsOf(node)
    const operator = node.children.find((child) => !child.named)?.type ?? ''
    const [target, ...more] = targets
    const words = target === undefined ? [] : this.#words(target.start, target.end, [target])
    if (words instanceof WordProblem) this.#add(node.start, node.end, dangerous(words.reason))
    else if (more.length > 0 && !hasCommand) this.#add(node.start, node.end, dangerous('is not understood'))
    else {
      const verdict = words.length > 1 ? dangerous('goes to more than one file') : judgeRedirection(operator, words[0])
      if (verdict !== undefined) this.#add(node.start, node.end, verdict)
    }
  }

  #hereDocument(node: SyntaxNode): void {
    const problem = checkHereDocumentEnd(node, this.#source)
    if (problem !== undefined) this.#add(node.start, node.end, dangerous(problem))
    const start = node.children.find((child) => child.type === 'heredoc_start')
    if (start !== undefined && /['"\\]/.test(this.#text(start))) return
    for (const body of node.children) {
      if (body.type !== 'heredoc_body') continue
      const holes: Hole[] = []
      this.#holes(body, holes)
      const inside = checkHereDocument(this.#source, body.start, body.end, holes)
      if (inside !== undefined) this.#add(body.start, body.end, dangerous(inside.reason))
    }
  }

  #assignment(node: SyntaxNode, place: 'alone' | 'before-command' | 'exported', program = ''): void {
    const [target] = node.children
    const name = /^\w*/.exec(target === undefined ? '' : this.#text(target))?.[0] ?? ''
    const value = node.children.slice(2)
    if (value.every((child) => child.type !== 'array')) this.#checkWords(value)
    const verdict =
      name === 'IFS' && place === 'before-command' && program !== 'read'
        ? write('sets IFS, which decides where words end')
        : judgeAssignment(name, place)
    if (verdict.effect !== 'read' || place !== 'before-command') this.#add(node.start, node.end, verdict)
  }

  #declaration(node: SyntaxNode): void {
    const word = node.children[0]?.type ?? ''
    const named = node.children.filter((child) => child.named)
    const texts = named.map((child) => this.#text(child))
    const exports = word === 'export' || texts.some((text) => /^-[a-zA-Z]*x/.test(text))
    const shows = texts.every((text) => /^-[pfFaAx]+$/.test(text)) || (texts[0] === '-p' && word !== 'export')
    const hides = named.some((child) => child.type !== 'variable_assignment' && hidesCode(this.#text(child)))
    this.#add(
      node.start,
      node.end,
      hides
        ? dangerous('runs what stands between the brackets')
        : shows
          ? read('shows variables')
          : exports
            ? write('sets variables for all programs after it')
            : read('sets variables'),
    )
    for (const child of named) {
      if (child.type === 'variable_assignment') this.#assignment(child, exports ? 'exported' : 'alone')
      else this.#checkWords([child])
      for (const inner of child.children) this.#walk(inner, { piped: false, pathsIn: false })
    }
  }

  #function(node: SyntaxNode): void {
    const name = node.children.find((child) => child.named)
    const body = node.children.at(-1)
    const calls = name !== undefined && body !== undefined && this.#calls(body, this.#text(name))
    this.#add(
      node.start,
      name?.end ?? node.end,
      calls ? dangerous('calls itself, which may never end') : write('defines a function, which changes what a name runs'),
    )
  }

  #calls(body: SyntaxNode, name: string): boolean {
    const waiting = [body]
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.type === 'command_name' && this.#text(node) === name) return true
      waiting.push(...node.children)
    }
    return false
  }
}
