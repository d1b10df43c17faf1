export * from './database/index.ts'
export { DatabaseSkillStore } from './database-skill-store.ts'
export { SqliteSkillStore, type SqliteSkillStoreOptions } from './sqlite-skill-store.ts'
