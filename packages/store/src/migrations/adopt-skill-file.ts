/** Owns the way of a file that holds skills only, as it was made before there were other tables, into the tables there are now. */

import { APPLICATION_ID } from '../database/application-id.ts'
import type { StoreConnection } from '../database/connection.ts'
import { hot } from '../database/hot.ts'

const ASK = hot<{ n: number }>("SELECT count(*) AS n FROM sqlite_schema WHERE type = 'table' AND name IN ('skills', 'skill_files')")

/** Called before the tables are made. @returns what to do afterwards; `undefined` where there are no such tables */
export async function adoptSkillFile(connection: StoreConnection): Promise<(() => Promise<void>) | undefined> {
  await connection.script(`PRAGMA application_id = ${APPLICATION_ID}`)
  const [found] = await connection.all(ASK, [])
  if (found?.n !== 2) return undefined
  await connection.script('ALTER TABLE skill_files RENAME TO old_skill_files; ALTER TABLE skills RENAME TO old_skills')
  return async () => {
    await connection.script(
      `INSERT INTO skills (tenant_id, key, text) SELECT tenant_id, key, CAST(text AS BLOB) FROM old_skills;
       INSERT INTO skill_files (tenant_id, key, path, content) SELECT tenant_id, key, path, content FROM old_skill_files;
       DROP TABLE old_skill_files; DROP TABLE old_skills; PRAGMA user_version = 0`,
    )
  }
}
