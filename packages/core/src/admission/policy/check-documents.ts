import { AdjutantError } from '../../contract/errors.ts'
import type { PolicyDocument } from './policy-document.ts'

/**
 * Owns what must hold for several documents together.
 *
 * @throws AdjutantError CONFIG_INVALID for two rules of one tier with one id: a decision that names it would not say which one it was
 */
export function checkDocuments(documents: readonly PolicyDocument[]): void {
  const known = new Map<string, string>()
  for (const { tier, file, rules } of documents) {
    const place = file ?? 'a document without a file'
    for (const { id } of rules) {
      const name = `${tier}/${id}`
      const other = known.get(name)
      if (other !== undefined) {
        throw new AdjutantError(
          'CONFIG_INVALID',
          `${place}: the rule ${name} is also in ${other === place ? 'the same document' : other}`,
          {
            hint: 'Give each rule of a tier an id of its own.',
          },
        )
      }
      known.set(name, place)
    }
  }
}
