export * from './database/index.ts'
export { DatabaseSkillStore } from './database-skill-store.ts'
export { type OpenStoreOptions, openStore, type Store } from './open-store.ts'
export { SqliteSkillStore, type SqliteSkillStoreOptions } from './sqlite-skill-store.ts'
