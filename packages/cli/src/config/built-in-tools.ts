/** The built-in tools that a configuration asks for. */
import { stat } from 'node:fs/promises'
import { type AgentTool, nearestNames, type RegistryProblem } from '@adjutant/core'
import { askUserTool, createFileTools, createSqlTool, readResultTool, type SqlDatabase } from '@adjutant/tools'
import type { Config } from './config.ts'
import { openPostgresDatabases, type PostgresHost } from './postgres-databases.ts'

const SQL = 'sql_query'

export interface BuiltInTools {
  readonly tools: readonly AgentTool[]
  readonly problems: readonly RegistryProblem[]
  close(): Promise<void>
}

/** Never rejects: what cannot be had is a problem with its place. */
export async function builtInTools(config: Config, host: PostgresHost): Promise<BuiltInTools> {
  const { builtin } = config
  if (builtin === false) return { tools: [], problems: [], close: async () => {} }
  const problems: RegistryProblem[] = []
  const source = config.file ?? 'built-in'
  let tools: AgentTool[] = [...createFileTools({ workspace: config.workspace }), askUserTool, readResultTool]
  let close = async (): Promise<void> => {}
  const wantsSql = builtin === true || builtin.includes(SQL)
  if (wantsSql) {
    const postgres = await openPostgresDatabases(config, host)
    problems.push(...postgres.problems)
    const entries: (readonly [name: string, database: string | SqlDatabase])[] = []
    for (const [name, file] of Object.entries(config.databases)) {
      const opened = postgres.databases.get(name)
      if (opened !== undefined) entries.push([name, opened])
      if (typeof file !== 'string') continue
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() === true) entries.push([name, file])
      else {
        problems.push({
          code: 'NOT_FOUND',
          source,
          tool: SQL,
          message: `the database ${name}: ${file} ${found === undefined ? 'does not exist' : 'is no file'}`,
          hint: 'Correct the file under "databases"; sql_query works with the others.',
        })
      }
    }
    if (entries.length > 0) {
      const sql = createSqlTool({ databases: Object.fromEntries(entries), clock: host.clock })
      tools.push(sql.tool)
      close = () => sql.close()
    }
  }
  if (builtin !== true) {
    const known = new Set([...tools.map((tool) => tool.name), SQL])
    for (const name of builtin) {
      if (name === SQL && Object.keys(config.databases).length === 0) {
        problems.push({
          code: 'CONFIG_INVALID',
          source,
          tool: SQL,
          message: `${source}: tools.builtin names ${SQL}, and there are no databases`,
          hint: 'Add "databases: { name: file or postgres://… }".',
        })
      } else if (!known.has(name)) {
        const near = nearestNames(name, known, 2)
        problems.push({
          code: 'CONFIG_INVALID',
          source,
          tool: name,
          message: `${source}: tools.builtin names ${JSON.stringify(name)}, which is no built-in tool`,
          hint: near.length === 0 ? `There are: ${[...known].join(', ')}.` : `Did you mean ${near.join(' or ')}?`,
        })
      }
    }
    tools = tools.filter((tool) => builtin.includes(tool.name))
  }
  return { tools, problems, close }
}
