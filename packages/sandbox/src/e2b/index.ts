export type { E2bConnectionOptions } from './connection.ts'
export { type E2bBackend, type E2bBackendOptions, e2bBackend } from './e2b-backend.ts'
export type { E2bCommands, E2bLanguage } from './program.ts'
