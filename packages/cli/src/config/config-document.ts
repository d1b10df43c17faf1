/**
 * Reads a configuration into a value whose every part can be traced back to its place in the file. YAML and JSON are read by
 * the same parser (JSON is a part of YAML 1.2). A `.ts` file is imported: it runs with the rights of this process, as any
 * program does that its owner starts.
 */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AdjutantError } from '@adjutant/core'
import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'

/** Of a file that a person writes. More is a mistake: the wrong file was named. */
const MAX_BYTES = 1024 * 1024

export type Path = readonly (string | number)[]

export interface ConfigDocument {
  readonly file: string
  /** The plain value; the text nodes were changed by `replaceStrings`. */
  value(): unknown
  /** `file:line:column` of the value at `path`, or of its key. Without a place in a file: `file (at a.b.c)`. */
  place(path: Path, options?: { readonly key?: boolean; readonly of?: string }): string
  /** Calls `replace` with each string value and takes what it gives back. */
  replaceStrings(replace: (text: string, place: (part: string) => string) => string): void
}

function invalid(place: string, message: string, hint?: string): AdjutantError {
  return new AdjutantError('CONFIG_INVALID', `${place}: ${message}`, hint === undefined ? {} : { hint })
}

async function readText(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) throw invalid(file, 'there is no such file', 'Name an existing file with --config.')
  if (!found.isFile())
    throw invalid(file, found.isDirectory() ? 'this is a folder' : 'this is not a regular file', 'Name the file itself with --config.')
  if (found.size > MAX_BYTES)
    throw invalid(file, `is ${found.size} bytes long, more than ${MAX_BYTES}`, 'Name a configuration with --config.')
  const bytes = await readFile(file).catch((error: unknown) => {
    throw invalid(file, error instanceof Error ? error.message : String(error), 'Make the file readable.')
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalid(file, 'is not text in UTF-8', 'Save it as UTF-8, or name another file with --config.')
  }
}

function textDocument(file: string, text: string): ConfigDocument {
  const lines = new LineCounter()
  const document: Document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const first = document.errors[0]
  if (first !== undefined)
    throw invalid(at(first.pos[0]), first.message.split('\n')[0] ?? 'cannot be read', 'Correct the syntax at this place.')
  const rangeStart = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)
  return {
    file,
    value() {
      try {
        return document.toJS({ maxAliasCount: 100 })
      } catch (error) {
        throw invalid(file, error instanceof Error ? error.message : String(error), 'Use fewer aliases.')
      }
    },
    place(path, options = {}) {
      const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
      const last = path.at(-1)
      if (options.key === true && isMap(parent)) {
        const pair = parent.items.find((item) => isPair(item) && (isScalar(item.key) ? item.key.value : item.key) === last)
        const start = rangeStart(pair?.key)
        if (start !== undefined) return at(start)
      }
      for (let length = path.length; length >= 0; length--) {
        const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
        const start = rangeStart(node)
        if (start !== undefined) return at(start)
      }
      return at(0)
    },
    replaceStrings(replace) {
      const walk = (node: unknown): void => {
        if (isMap(node)) for (const item of node.items) walk(item.value)
        else if (typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)) node.items.forEach(walk)
        else if (isScalar(node) && typeof node.value === 'string') {
          const [start = 0, end = start] = node.range ?? []
          node.value = replace(node.value, (part) => {
            const inside = text.slice(start, end).indexOf(part)
            return at(inside === -1 ? start : start + inside)
          })
        }
      }
      walk(document.contents)
    },
  }
}

/** Follows own keys only; what a module exports may have anything above it. */
function mapStrings(value: unknown, path: Path, replace: (text: string, path: Path) => string): unknown {
  if (typeof value === 'string') return replace(value, path)
  if (Array.isArray(value)) return value.map((item, index) => mapStrings(item, [...path, index], replace))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, [...path, key], replace)]))
  }
  return value
}

async function moduleDocument(file: string): Promise<ConfigDocument> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) throw invalid(file, 'there is no such file', 'Name an existing file with --config.')
  const loaded: unknown = await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw invalid(file, error instanceof Error ? error.message : String(error), 'Correct the module so that it can be imported.')
  })
  const exported = typeof loaded === 'object' && loaded !== null ? loaded : {}
  const config: unknown = 'default' in exported ? exported.default : 'config' in exported ? exported.config : undefined
  if (config === undefined) throw invalid(file, 'exports neither "default" nor "config"', 'Write: export const config = { … }')
  // Only what JSON can carry is configuration; this also takes the value out of the module's hands.
  let value: unknown
  try {
    value = JSON.parse(JSON.stringify(config) ?? 'null')
  } catch (error) {
    throw invalid(file, error instanceof Error ? error.message : String(error), 'Export plain data.')
  }
  const place = (path: Path): string => (path.length === 0 ? file : `${file} (at ${path.join('.')})`)
  return {
    file,
    value: () => value,
    place: (path) => place(path),
    replaceStrings(replace) {
      value = mapStrings(value, [], (text, path) => replace(text, () => place(path)))
    },
  }
}

/** @throws AdjutantError CONFIG_INVALID with the place in its message */
export async function readConfigDocument(file: string): Promise<ConfigDocument> {
  return /^\.[cm]?[jt]s$/.test(extname(file)) ? moduleDocument(file) : textDocument(file, await readText(file))
}
