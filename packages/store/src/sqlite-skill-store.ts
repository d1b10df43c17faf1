import { randomIds, systemClock } from '@adjutant/core'
import type { SkillStore, StoredSkill } from '@adjutant/core/contract'
import { openDatabase, type StoreDatabase } from './database/index.ts'
import { DatabaseSkillStore } from './database-skill-store.ts'

export interface SqliteSkillStoreOptions {
  /** A file, made when missing; one that holds a whole store is as good. */
  readonly file: string
  /** Whose skills these are. Default `local`. Another tenant's are neither seen nor changed. */
  readonly tenantId?: string
}

/**
 * Skills in a SQLite file of their own, or in the file of a store. The file is opened at once; what is wrong with it is told by the first
 * method that is awaited, as AdjutantError CONFIG_INVALID or STORE_FAILED. Methods take effect in the order in which they were called, and closing
 * waits for them.
 *
 * @example
 * ```ts
 * await using store = new SqliteSkillStore({ file: 'skills.sqlite' })
 * await store.put('house-style', '---\nname: house-style\ndescription: Use for reports.\n---\nWrite short sentences.')
 * ```
 */
export class SqliteSkillStore implements SkillStore {
  readonly #database: Promise<StoreDatabase>
  readonly #tenant: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: SqliteSkillStoreOptions) {
    this.#tenant = options.tenantId ?? 'local'
    this.#database = openDatabase(`sqlite:${options.file}`, { clock: systemClock, ids: randomIds, poolSize: 1 })
    // Told to whoever asks for something; until then it is nobody's.
    this.#database.catch(() => {})
  }

  async skills(): Promise<readonly StoredSkill[]> {
    return await this.#next((store) => store.skills())
  }

  /** @throws AdjutantError NOT_FOUND */
  async readFile(key: string, path: string): Promise<Uint8Array> {
    return await this.#next((store) => store.readFile(key, path))
  }

  /** Keeps a skill, in place of one with the same key and all its files. */
  async put(key: string, text: string, files: Readonly<Record<string, Uint8Array>> = {}): Promise<void> {
    await this.#next((store) => store.put(key, text, files))
  }

  /** @returns whether there was one */
  async remove(key: string): Promise<boolean> {
    return await this.#next((store) => store.remove(key))
  }

  async close(): Promise<void> {
    await this.#last
    await this.#database.then(
      (db) => db.close(),
      () => {},
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Closes as soon as what was asked for is done. */
  [Symbol.dispose](): void {
    void this.close()
  }

  async #next<T>(work: (store: DatabaseSkillStore) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => await work(new DatabaseSkillStore(await this.#database, this.#tenant)))
    this.#last = turn.catch(() => {})
    return await turn
  }
}
