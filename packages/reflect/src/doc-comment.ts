import ts from 'typescript6'
import { CONSTRAINTS } from './constraint-names.ts'

/**
 * Owns the reading of doc comments: free text, and tags in the order in which they stand. A constraint (`@minimum 1`) after a
 * `@param` is said of that parameter, wherever it is written: on the same line or below.
 */

export interface DocTag {
  readonly name: string
  readonly text: string
  readonly node: ts.Node
}

/** What is said of a property or parameter. */
export interface Doc {
  readonly description: string
  readonly constraints: readonly DocTag[]
  /** The text of `@default`, where it is written. */
  readonly fallback?: string
}

export const NO_DOC: Doc = { description: '', constraints: [] }

export interface FunctionDoc {
  readonly description: string
  /** By the name written, `options.limit` for a property. */
  readonly parameters: ReadonlyMap<string, Doc & { readonly node: ts.Node }>
  /** In the order in which they are written. */
  readonly order: readonly string[]
  /** Everything that is no parameter and no constraint of one. */
  readonly tags: readonly DocTag[]
}

/** What stands at the declaration of a property, or of a type. */
export function docOfSymbol(symbol: ts.Symbol, checker: ts.TypeChecker): Doc {
  const description = unwrapped(ownComment(symbol) ?? ts.displayPartsToString(symbol.getDocumentationComment(checker)))
  const constraints: DocTag[] = []
  let fallback: string | undefined
  for (const declaration of symbol.declarations ?? []) {
    for (const tag of ts.getJSDocTags(declaration)) {
      const read: DocTag = { name: tag.tagName.text, text: textOf(tag), node: tag }
      if (read.name === 'default' || read.name === 'defaultValue') fallback ??= read.text
      else if (CONSTRAINTS.has(read.name)) constraints.push(read)
    }
  }
  return { description, constraints, ...(fallback === undefined ? {} : { fallback }) }
}

/** The comment right before the declaration: one above it may be about the whole file. */
function ownComment(symbol: ts.Symbol): string | undefined {
  for (const declaration of symbol.declarations ?? []) {
    const last = ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc).at(-1)
    if (last?.comment !== undefined) return ts.getTextOfJSDocComment(last.comment)
  }
  return undefined
}

export function docOfFunction(host: ts.Node): FunctionDoc {
  const comments = ts.getJSDocCommentsAndTags(host).filter(ts.isJSDoc)
  const last = comments.at(-1)
  const parameters = new Map<string, Doc & { readonly node: ts.Node }>()
  const order: string[] = []
  const tags: DocTag[] = []
  let current: string | undefined
  for (const tag of last?.tags ?? []) {
    if (ts.isJSDocParameterTag(tag)) {
      current = tag.name.getText()
      if (!parameters.has(current)) order.push(current)
      parameters.set(current, { description: textOf(tag).replace(/^-\s+/, ''), constraints: [], node: tag })
      continue
    }
    const read: DocTag = { name: tag.tagName.text, text: textOf(tag), node: tag }
    const owner = current === undefined ? undefined : parameters.get(current)
    if (owner !== undefined && current !== undefined && CONSTRAINTS.has(read.name)) {
      parameters.set(current, { ...owner, constraints: [...owner.constraints, read] })
    } else if (owner !== undefined && current !== undefined && read.name === 'default') {
      parameters.set(current, { ...owner, fallback: read.text })
    } else {
      if (tag.tagName.text !== 'example') current = undefined
      tags.push(read)
    }
  }
  const description = last === undefined ? '' : (ts.getTextOfJSDocComment(last.comment) ?? '')
  return { description: unwrapped(description), parameters, order, tags }
}

function textOf(tag: ts.JSDocTag): string {
  return unwrapped(ts.getTextOfJSDocComment(tag.comment) ?? '')
}

/** Lines of one paragraph become one line; a blank line and a list keep theirs. */
function unwrapped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .replace(/[ \t]+\n/g, '\n')
    .replace(/([^\n])\n(?![\n\s*#>|-]|\d+[.)] )/g, '$1 ')
}
