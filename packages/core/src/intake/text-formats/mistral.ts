import type { BodyReader, ReaderContext } from './format.ts'
import { JsonList } from './json-list.ts'
import { type NamedForm, type NamedHeader, NamedJson } from './named-json.ts'
import { Sniffed } from './sniffed.ts'

/** Owns `[TOOL_CALLS]`: a JSON list of calls, or `name[ARGS]{…}`, with an id behind `[CALL_ID]`. */

const OPENER = '[TOOL_CALLS]'

const NAMED: NamedForm = {
  format: 'mistral',
  opener: OPENER,
  separators: ['[ARGS]'],
  within: ['[CALL_ID]'],
  closings: [],
  openings: [OPENER],
  named: headerOf,
}

function headerOf(header: string): NamedHeader | undefined {
  const [name = '', id] = header.split('[CALL_ID]')
  if (!/^\s*[^\s{}[\]]+\s*$/.test(name)) return undefined
  return { name: name.trim(), ...(id === undefined ? {} : { id: id.trim() }) }
}

export function mistral(cx: ReaderContext): BodyReader {
  return new Sniffed((first) => (first === '[' || first === '{' ? new JsonList(cx, 'mistral', OPENER, []) : new NamedJson(cx, NAMED)))
}
