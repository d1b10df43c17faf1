/** What fixtures of older versions have in common. See make-golden.ts. */
import { fileURLToPath } from 'node:url'
import type { StoreDatabase } from '../src/database/index.ts'
import { ALL_TABLES, rowToLine } from '../src/database/rows-as-lines.ts'
import { rowsInOrder } from '../src/database/rows-in-order.ts'
import { placeOfRow, sealedColumnsOf } from '../src/database/sealed-columns.ts'

export const GOLDEN_FOLDER = fileURLToPath(new URL('./golden/', import.meta.url))
export const GOLDEN_SCHEMA = 'golden'
/** Opens the fixtures and nothing else. */
export const GOLDEN_KEY = `golden:${'0123456789abcdef'.repeat(4)}`

/** Every row of the store as text, bodies opened. */
export async function rowsAsText(db: StoreDatabase): Promise<string> {
  return await db.system(
    async (tx) => {
      let text = ''
      for (const table of ALL_TABLES) {
        for await (const row of rowsInOrder(tx, table)) {
          const opened: Record<string, unknown> = { ...row }
          for (const column of sealedColumnsOf(table)) {
            const kept = row[column]
            if (kept instanceof Uint8Array) opened[column] = db.seal.open(kept, placeOfRow(table, column, row))
          }
          text += `${rowToLine(table, opened)}\n`
        }
      }
      return text
    },
    { readOnly: true },
  )
}
