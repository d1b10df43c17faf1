/** The words between a search and its worker thread. */
import type { FindingsLimits, FoundLines } from './findings.ts'

export interface SearchSetup {
  /** The workspace: absolute, links resolved. */
  readonly root: string
  readonly query:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'pattern'; readonly source: string; readonly flags: string }
  readonly limits: FindingsLimits
}

export interface SearchFile {
  readonly real: string
  /** As it is shown. */
  readonly name: string
}

export type SearchRequest = { readonly type: 'files'; readonly files: readonly SearchFile[] } | { readonly type: 'end' }

export type SearchReply =
  /** Sent before each block: the thread is alive and begins with it. */
  | { readonly type: 'at'; readonly name: string }
  | { readonly type: 'done'; readonly full: boolean }
  | { readonly type: 'found'; readonly found: FoundLines }

export function isSetup(value: unknown): value is SearchSetup {
  return isObject(value) && 'root' in value && 'query' in value && 'limits' in value
}

export function isRequest(value: unknown): value is SearchRequest {
  return isObject(value) && 'type' in value && (value.type === 'files' || value.type === 'end')
}

export function isReply(value: unknown): value is SearchReply {
  return isObject(value) && 'type' in value && (value.type === 'at' || value.type === 'done' || value.type === 'found')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
