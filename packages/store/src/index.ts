export { SqliteSkillStore, type SqliteSkillStoreOptions } from './sqlite-skill-store.ts'
