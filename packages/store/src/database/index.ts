/** The faces of the database that the rest of the store is built on. */
export { type BodyPlace, BodySeal } from './body-seal.ts'
export type { DatabaseKind, SqlValue } from './connection.ts'
export { type HotStatement, hot } from './hot.ts'
export { type OpenDatabaseOptions, openDatabase } from './open-database.ts'
export { StoreDatabase, type StoreTransaction, type SystemOptions, type TransactionOptions } from './store-database.ts'
export type { Tables } from './tables.ts'
