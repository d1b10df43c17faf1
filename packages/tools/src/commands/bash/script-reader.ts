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
import { addHoles, wordsIn } from './script-words.ts'
import type { Setting } from './setting.ts'
import type { ParseSyntax, SyntaxNode } from './syntax.ts'
import {
  calculates,
  callsItself,
  functionNames,
  gapsOf,
  hidesSubstitution,
  isBrokenTest,
  isComment,
  isSpace,
  targetsOf,
  usesComputed,
} from './syntax-questions.ts'
import { collectVariables, type Variables } from './variables.ts'
import { dangerous, read, type Verdict, worst, write } from './verdict.ts'
import { checkHereDocument, type Hole, type Word, WordProblem } from './word.ts'

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

export class ScriptReader {
  readonly parts: CommandPart[] = []
  readonly #source: string
  readonly #shared: Shared
  readonly #depth: number
  readonly #piped: boolean
  #variables: Variables
  readonly #functions: Set<string>
  /** Depth of wrappers within wrappers. */
  #commands = 0
  #calculates = false
  #hidesCode = false

  constructor(source: string, shared: Shared, depth: number, variables: Variables, functions: ReadonlySet<string>, piped = false) {
    this.#source = source
    this.#shared = shared
    this.#depth = depth
    this.#variables = variables
    this.#functions = new Set(functions)
    this.#piped = piped
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
    for (const name of functionNames(root, this.#source)) this.#functions.add(name)
    if (!isSpace(this.#source.slice(0, root.start)) || !isSpace(this.#source.slice(root.end)))
      this.#add(0, this.#source.length, dangerous('is not understood'))
    this.#walk(root, { piped: this.#piped, pathsIn: false })
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

  #walk(node: SyntaxNode, place: Place): void {
    if (node.type === 'ERROR' || node.missing) {
      this.#add(node.start, Math.max(node.end, node.start), dangerous('cannot be parsed'))
    } else this.#checkGaps(node)
    if (hidesSubstitution(node, this.#source)) this.#add(node.start, node.end, dangerous('has a substitution that is not understood'))
    if (calculates(node, this.#source)) {
      this.#calculates = true
      if (usesComputed(node, this.#source, this.#variables))
        this.#add(node.start, node.end, write('calculates with a value that is only known when it runs'))
    }
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
        if (isBrokenTest(node, this.#source)) this.#add(node.start, node.end, dangerous('is not understood'))
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
        // Whatever calls it may feed it.
        for (const child of node.children) this.#walk(child, { piped: true, pathsIn: false })
        return
      case 'comment':
        if (!isComment(node, this.#source)) this.#add(node.start, node.end, dangerous('is not understood'))
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

  #checkGaps(node: SyntaxNode): void {
    for (const [start, end] of gapsOf(node, this.#source)) this.#add(start, end, dangerous('is not understood'))
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
      const read = wordsIn(this.#source, range.start, range.end, range.nodes, this.#variables)
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
      script: (text, at, piped) => this.#script(text, at, piped),
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
  #script(text: string, at: Word, piped: boolean): Verdict {
    const reader = new ScriptReader(text, this.#shared, this.#depth + 1, this.#variables, this.#functions, piped)
    reader.read()
    let found: Verdict = read('runs nothing')
    for (const { start: _start, end: _end, ...verdict } of reader.parts) {
      this.#add(at.start, at.end, verdict)
      found = found.program === undefined && found.effect === verdict.effect ? verdict : worst(found, verdict)
    }
    return found
  }

  #checkWords(nodes: readonly SyntaxNode[]): void {
    for (const node of nodes) {
      const words = wordsIn(this.#source, node.start, node.end, [node], this.#variables)
      if (words instanceof WordProblem) this.#add(node.start, node.end, dangerous(words.reason))
    }
  }

  #redirection(node: SyntaxNode, hasCommand = false): void {
    const targets = targetsOf(node)
    const operator = node.children.find((child) => !child.named)?.type ?? ''
    const [target, ...more] = targets
    const words = target === undefined ? [] : wordsIn(this.#source, target.start, target.end, [target], this.#variables)
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
      addHoles(body, this.#source, this.#variables, holes)
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
    const calls = name !== undefined && body !== undefined && callsItself(body, this.#text(name), this.#source)
    this.#add(
      node.start,
      name?.end ?? node.end,
      calls ? dangerous('calls itself, which may never end') : write('defines a function, which changes what a name runs'),
    )
  }
}
