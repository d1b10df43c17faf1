/**
 * Owns what a GraphQL document does: its operations at the top say so. Strings and comments hide what is in them. Linear; never throws.
 */
import type { Effect } from '@adjutant/core/contract'

export interface GraphqlVerdict {
  readonly effect: Effect
  readonly reason: string
}

const TOKEN = /"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[A-Za-z_]\w*|[{}()[\]]|"/gs
const REMOVING = /^(?:delete|remove|drop|destroy|purge|erase|revoke|truncate)/i

/** Undefined when it is no document with operations. */
export function graphqlEffect(document: string): GraphqlVerdict | undefined {
  let depth = 0
  let inner = 0
  let operation = ''
  let found: GraphqlVerdict | undefined
  const note = (verdict: GraphqlVerdict): void => {
    if (found === undefined || (found.effect === 'read' && verdict.effect !== 'read') || verdict.effect === 'dangerous') found = verdict
  }
  for (const [token] of document.matchAll(TOKEN)) {
    const sign = token.charAt(0)
    if (sign === '#' || (sign === '"' && token.length > 1)) continue
    // A quote that is never closed.
    if (sign === '"') return undefined
    // Braces inside of arguments are values.
    if (sign === '(' || sign === '[' || (sign === '{' && inner > 0)) inner += 1
    else if (sign === ')' || sign === ']' || (sign === '}' && inner > 0)) inner -= 1
    else if (sign === '{') {
      if (depth === 0 && inner === 0 && operation === '') {
        operation = 'query'
        note({ effect: 'read', reason: 'queries' })
      }
      depth += 1
    } else if (sign === '}') {
      depth -= 1
      if (depth < 0) return undefined
      if (depth === 0) operation = ''
    } else if (depth === 0 && inner === 0 && operation === '') {
      operation = token
      if (token === 'query' || token === 'subscription') note({ effect: 'read', reason: 'queries' })
      else if (token === 'mutation') note({ effect: 'write', reason: 'is a GraphQL mutation' })
      else if (token !== 'fragment') return undefined
    } else if (depth === 1 && inner === 0 && operation === 'mutation' && REMOVING.test(token)) {
      note({ effect: 'dangerous', reason: `is a GraphQL mutation that removes: ${token.slice(0, 60)}` })
    }
  }
  return depth === 0 && inner === 0 ? found : undefined
}
