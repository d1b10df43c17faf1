/**
 * Owns skills in a store: one row a skill, one a bundled file, of one tenant. Each change is one transaction, so a reader never sees half a skill.
 */
import { AdjutantError, type SkillStore, type StoredSkill } from '@adjutant/core/contract'
import { hot, type StoreDatabase } from './database/index.ts'

const LIST = hot<{ key: string; text: Uint8Array }>('SELECT key, text FROM skills WHERE tenant_id = ? ORDER BY key')
const LIST_FILES = hot<{ key: string; path: string }>('SELECT key, path FROM skill_files WHERE tenant_id = ? ORDER BY key, path')
const READ = hot<{ content: Uint8Array }>('SELECT content FROM skill_files WHERE tenant_id = ? AND key = ? AND path = ?')
const REMOVE = hot('DELETE FROM skills WHERE tenant_id = ? AND key = ?')
const PUT = hot('INSERT INTO skills (tenant_id, key, text) VALUES (?, ?, ?)')
const PUT_FILE = hot('INSERT INTO skill_files (tenant_id, key, path, content) VALUES (?, ?, ?, ?)')

/**
 * @example
 * ```ts
 * const skills = new DatabaseSkillStore(db, 'acme')
 * await skills.put('house-style', '---\nname: house-style\ndescription: Use for reports.\n---\nWrite short sentences.')
 * ```
 */
export class DatabaseSkillStore implements SkillStore {
  readonly #db: StoreDatabase
  readonly #tenant: string

  /** @param tenantId whose skills these are; another's are neither seen nor changed */
  constructor(db: StoreDatabase, tenantId: string) {
    this.#db = db
    this.#tenant = tenantId
  }

  async skills(): Promise<readonly StoredSkill[]> {
    return await this.#db.read(this.#tenant, async (tx) => {
      const files = Map.groupBy(await tx.all(LIST_FILES, [this.#tenant]), ({ key }) => key)
      const rows = await tx.all(LIST, [this.#tenant])
      return rows.map(({ key, text }) => ({
        key,
        text: Buffer.from(text).toString('utf8'),
        files: files.get(key)?.map(({ path }) => path) ?? [],
      }))
    })
  }

  async readFile(key: string, path: string): Promise<Uint8Array> {
    const row = await this.#db.read(this.#tenant, (tx) => tx.get(READ, [this.#tenant, key, path]))
    if (row !== undefined) return row.content
    throw new AdjutantError('NOT_FOUND', `the skill ${key} has no file ${JSON.stringify(path.slice(0, 200))}`)
  }

  /** Keeps a skill, in place of one with the same key and all its files. */
  async put(key: string, text: string, files: Readonly<Record<string, Uint8Array>> = {}): Promise<void> {
    await this.#db.transaction(this.#tenant, async (tx) => {
      await tx.run(REMOVE, [this.#tenant, key])
      await tx.run(PUT, [this.#tenant, key, Buffer.from(text, 'utf8')])
      for (const [path, content] of Object.entries(files)) await tx.run(PUT_FILE, [this.#tenant, key, path, content])
    })
  }

  /** @returns whether there was one */
  async remove(key: string): Promise<boolean> {
    return await this.#db.transaction(this.#tenant, async (tx) => (await tx.run(REMOVE, [this.#tenant, key])) > 0)
  }
}
