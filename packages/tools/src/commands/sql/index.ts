export { openSqlReader, type SqlDialect } from './open-sql-reader.ts'
