export { askUserTool } from './ask-user.ts'
export * from './code/index.ts'
export { createFileTools, type FileToolsOptions } from './files/create-file-tools.ts'
export {
  type AddressPolicy,
  createHttpTool,
  type HttpMethod,
  type HttpToolOptions,
  isPublicAddress,
  type ResolveHost,
} from './http/index.ts'
export { readResultTool } from './read-result.ts'
export { createSqlTool, type SqlTool, type SqlToolOptions } from './sql/create-sql-tool.ts'
export { openPostgresDatabase, type PostgresDatabaseOptions } from './sql/postgresql/open-postgres-database.ts'
export type { SqlAnswer, SqlDatabase, SqlQuestion, SqlReading } from './sql/sql-database.ts'
export { openWorkspace, type Workspace, type WorkspacePath } from './workspace/workspace-path.ts'
