/**
 * `awk`: a language of its own with few ways out: `system`, a pipe, a file that output goes to, extensions. Its text is split into tokens to tell them
 * from comparisons and from what stands in strings; where that is not certain, the worse is taken.
 */
import { isNothing, systemPath } from '../data/paths.ts'
import { mayBecomeOption } from '../options.ts'
import type { Judge, Setting } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import { plainWord, type Word } from '../word.ts'

const TAKES_NEXT = /^(?:-F|-v|--field-separator|--assign)$/
const PLAIN_OPTION =
  /^(?:-F.+|-v.+|--(?:field-separator|assign)=.*|--(?:posix|traditional|re-interval|characters-as-bytes|sandbox|non-decimal-data|lint|csv|use-lc-numeric)|-[PcrbSnNt])$/s

export const judgeAwk: Judge = (words, setting) => {
  let sandbox = false
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (word === undefined) break
    if (mayBecomeOption(word, 'Fv')) return dangerous('runs an awk program that is only known when it runs')
    if (TAKES_NEXT.test(word.text ?? '')) {
      at++
      continue
    }
    if (/^(?:-F|-v|--field-separator=|--assign=)/.test(word.lead)) continue
    if (word.text !== undefined && PLAIN_OPTION.test(word.text)) {
      sandbox ||= word.text === '--sandbox' || word.text === '-S'
      continue
    }
    if (word.text === '--') continue
    if (word.lead.startsWith('-') && word.text !== '-')
      return /^(?:-f|--file)/.test(word.lead)
        ? write('runs an awk program out of a file')
        : dangerous(`runs awk with the option ${word.lead.slice(0, 40)}`)
    // Between the quotes of the program a variable of the shell may stand: its value becomes code.
    if (word.text === undefined && word.opens.some((kind) => kind !== 'number')) return judgeOpen(word, setting)
    if (words.slice(at + 1).some((next) => /^-./.test(next.lead) && /^-(?:f|i|l|E|-)/.test(next.lead)))
      return write('may read more of the program out of a file')
    return sandbox ? read('prints what it is given, changed') : readAwkProgram(word.pattern.replaceAll('\0', '0'), word, setting)
  }
  return read('prints how it is used')
}

function judgeOpen(word: Word, setting: Setting): Verdict {
  if (word.opens.includes('script') || word.lead === '') return dangerous('runs an awk program that is only known when it runs')
  return worst(write('has a variable of the shell in its awk program'), readAwkProgram(word.pattern.replaceAll('\0', '0'), word, setting))
}

type Token = { readonly kind: 'string' | 'regex' | 'word' | 'sign'; readonly text: string }

const PART =
  /\s*(?:#[^\n]*|\\\n|("(?:[^"\\\n]|\\[\s\S])*")|([A-Za-z_]\w*|\d[\w.]*|\.\d+)|(\n|\|\||\||&&|>>|>=|<=|==|!=|!~|\+\+|--|[-+*%^/!]=|[^\s\w"]))/y

/** Undefined where a token cannot be told. */
function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const before = tokens.at(-1)
    const blank = /[ \t\r]*/y
    blank.lastIndex = at
    blank.exec(text)
    const next = blank.lastIndex
    if (text[next] === '\n') {
      tokens.push({ kind: 'sign', text: '\n' })
      at = next + 1
      continue
    }
    if (text[next] === '/') {
      // After `)` it may be either.
      if (before?.text === ')') return undefined
      const divides =
        before !== undefined &&
        ((before.kind === 'word' && !/^(?:print|printf|return|in|case|else|do|and|or|not|BEGIN|END|getline)$/.test(before.text)) ||
          before.kind === 'string' ||
          before.text === ']' ||
          before.text === '$' ||
          before.text === '++' ||
          before.text === '--')
      if (!divides) {
        const regex = /\/(?:[^/\\\n[]|\\.|\[(?:\^\]|\]|\^(?!\])|(?![\]^]))(?:[^\]\\\n]|\\.)*\])*\//y
        regex.lastIndex = next
        const match = regex.exec(text)
        if (match === null) return undefined
        tokens.push({ kind: 'regex', text: match[0] })
        at = regex.lastIndex
        continue
      }
    }
    PART.lastIndex = at
    const part = PART.exec(text)
    if (part === null) return /^\s*$/.test(text.slice(at)) ? tokens : undefined
    at = PART.lastIndex
    const [, string, word, sign] = part
    if (string !== undefined) tokens.push({ kind: 'string', text: string.slice(1, -1) })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (sign !== undefined) {
      if (sign === '"') return undefined
      tokens.push({ kind: 'sign', text: sign })
    }
  }
  return tokens
}

function readAwkProgram(text: string, word: Word, setting: Setting): Verdict {
  const tokens = tokensOf(text)
  if (tokens === undefined) {
    return /system|getline|[|>@]/.test(text)
      ? dangerous('runs an awk program that is not understood')
      : read('prints what it is given, changed')
  }
  let found = read('prints what it is given, changed')
  let depth = 0
  let printing = false
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1]
    if (token.kind === 'word') {
      if (token.text === 'print' || token.text === 'printf') printing = true
      if (token.text === 'system') {
        const only = next?.text === '(' && tokens[at + 2]?.kind === 'string' && tokens[at + 3]?.text === ')' ? tokens[at + 2] : undefined
        found = worst(
          found,
          only === undefined
            ? dangerous('runs commands that are only known when it runs')
            : setting.script(plain(only.text), word, setting.piped),
        )
      }
      continue
    }
    if (token.kind !== 'sign') continue
    if (token.text === '(') depth++
    else if (token.text === ')') depth--
    else if (token.text === ';' || token.text === '\n' || token.text === '{' || token.text === '}') {
      printing = false
      depth = 0
    } else if (token.text === '@') found = worst(found, dangerous('runs what is only known when it runs'))
    else if (token.text === '|') {
      const after = tokens[at + 2]
      const only = next?.kind === 'string' && (after === undefined || /^[;}\n]$/.test(after.text)) ? next : undefined
      const before = tokens[at - 1]
      const opening = tokens[at - 2]
      const source =
        (next?.text === 'getline' || (next?.text === '&' && after?.text === 'getline')) &&
        before?.kind === 'string' &&
        (opening === undefined || /^[;{(\n]$/.test(opening.text))
          ? before
          : undefined
      const script = only ?? source
      found = worst(
        found,
        script === undefined
          ? dangerous('runs commands that are only known when it runs')
          : setting.script(plain(script.text), plainWord(word.pattern, word), true),
      )
    } else if ((token.text === '>' || token.text === '>>') && printing && depth <= 0) {
      const path = next?.kind === 'string' ? next.text : undefined
      const system = path === undefined || isNothing(path) ? undefined : systemPath(path)
      if (path === undefined || !isNothing(path)) found = worst(found, system === undefined ? write('writes a file') : dangerous(system))
    }
  }
  return found
}

function plain(text: string): string {
  return text.replace(/\\(["\\/])/g, '$1')
}
