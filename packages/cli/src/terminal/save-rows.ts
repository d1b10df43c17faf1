/** The answers for always as rows: for each file the rules that can be written there, with the key of each. */
import { type Row, span, wrapWords } from './rows.ts'
import type { SaveChoice } from './save-choices.ts'

export function saveRows(saves: readonly SaveChoice[], width: number): readonly Row[] {
  const rows: Row[] = []
  let file: string | undefined
  for (const [index, save] of saves.entries()) {
    if (save.file !== file) {
      rows.push(
        ...wrapWords(
          [span(`${save.file} `, 'accent'), span(`(${save.tier === 'project' ? 'this project' : 'you, everywhere'})`, 'quiet')],
          width,
        ),
      )
      file = save.file
    }
    for (const [part, row] of wrapWords([span(save.rule)], Math.max(8, width - 2)).entries()) {
      rows.push([span(part === 0 ? `${index + 1} ` : '  ', 'accent'), ...row])
    }
  }
  return rows
}
