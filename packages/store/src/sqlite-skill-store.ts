import { DatabaseSync } from 'node:sqlite'
import { AdjutantError, type SkillStore, type StoredSkill } from '@adjutant/core/contract'

/** Layout of the tables; a file with another one is not opened. */
const SCHEMA_VERSION = 1

const SCHEMA = `
CREATE TABLE skills (
  tenant_id TEXT NOT NULL,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (tenant_id, key)
) STRICT;
CREATE TABLE skill_files (
  tenant_id TEXT NOT NULL,
  key TEXT NOT NULL,
  path TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (tenant_id, key, path),
  FOREIGN KEY (tenant_id, key) REFERENCES skills (tenant_id, key) ON DELETE CASCADE
) STRICT;
PRAGMA user_version = ${SCHEMA_VERSION};
`

export interface SqliteSkillStoreOptions {
  /** A file, made when missing. */
  readonly file: string
  /** Whose skills these are. Default `local`. Another tenant's are neither seen nor changed. */
  readonly tenantId?: string
}

/**
 * Skills in a SQLite file: one row a skill, one a bundled file. Several processes may open one file; a writer waits for another for
 * five seconds. Each change is one transaction, so a reader never sees half a skill.
 *
 * @example
 * ```ts
 * using store = new SqliteSkillStore({ file: 'skills.sqlite' })
 * store.put('house-style', '---\nname: house-style\ndescription: Use for reports.\n---\nWrite short sentences.')
 * ```
 */
export class SqliteSkillStore implements SkillStore {
  readonly #database: DatabaseSync
  readonly #tenant: string

  /** @throws AdjutantError CONFIG_INVALID when the file is no such store */
  constructor(options: SqliteSkillStoreOptions) {
    this.#tenant = options.tenantId ?? 'local'
    try {
      this.#database = new DatabaseSync(options.file, { timeout: 5_000 })
      this.#open(options.file)
    } catch (error) {
      throw AdjutantError.from(error, 'CONFIG_INVALID', `the skill store ${options.file}`)
    }
  }

  async skills(): Promise<readonly StoredSkill[]> {
    const files = new Map<string, string[]>()
    const paths = this.#database.prepare('SELECT key, path FROM skill_files WHERE tenant_id = ? ORDER BY key, path').all(this.#tenant)
    for (const { key, path } of paths) {
      const known = files.get(String(key))
      if (known === undefined) files.set(String(key), [String(path)])
      else known.push(String(path))
    }
    const rows = this.#database.prepare('SELECT key, text FROM skills WHERE tenant_id = ? ORDER BY key').all(this.#tenant)
    return rows.map(({ key, text }) => ({ key: String(key), text: String(text), files: files.get(String(key)) ?? [] }))
  }

  async readFile(key: string, path: string): Promise<Uint8Array> {
    const row = this.#database
      .prepare('SELECT content FROM skill_files WHERE tenant_id = ? AND key = ? AND path = ?')
      .get(this.#tenant, key, path)
    const content = row?.content
    if (content instanceof Uint8Array) return content
    throw new AdjutantError('NOT_FOUND', `the skill ${key} has no file ${JSON.stringify(path.slice(0, 200))}`)
  }

  /** Keeps a skill, in place of one with the same key and all its files. */
  put(key: string, text: string, files: Readonly<Record<string, Uint8Array>> = {}): void {
    this.#transaction(() => {
      this.#database.prepare('DELETE FROM skills WHERE tenant_id = ? AND key = ?').run(this.#tenant, key)
      this.#database.prepare('INSERT INTO skills (tenant_id, key, text) VALUES (?, ?, ?)').run(this.#tenant, key, text)
      const insert = this.#database.prepare('INSERT INTO skill_files (tenant_id, key, path, content) VALUES (?, ?, ?, ?)')
      for (const [path, content] of Object.entries(files)) insert.run(this.#tenant, key, path, content)
    })
  }

  /** @returns whether there was one */
  remove(key: string): boolean {
    return this.#database.prepare('DELETE FROM skills WHERE tenant_id = ? AND key = ?').run(this.#tenant, key).changes > 0
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #open(file: string): void {
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
    this.#transaction(() => {
      const version = Number(this.#database.prepare('PRAGMA user_version').get()?.user_version)
      const tables = Number(this.#database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'").get()?.n)
      if (version === 0 && tables === 0) this.#database.exec(SCHEMA)
      else if (version !== SCHEMA_VERSION) {
        throw new AdjutantError('CONFIG_INVALID', `${file} is another database (its version is ${version}, with ${tables} tables)`, {
          hint: 'Name a file that was made by this version, or one that does not exist yet.',
        })
      }
    })
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }
}
