export * from './database/index.ts'
export { SqliteSkillStore, type SqliteSkillStoreOptions } from './sqlite-skill-store.ts'
