/**
 * Opens the PostgreSQL databases that a configuration names. Which hosts that may be is for the policy to say, before a connection is made: it is asked about a
 * call of sql_query that has the host as an argument. One that cannot be opened is told, and the others work.
 */
import { readFile } from 'node:fs/promises'
import { AdjutantError, type AgentTool, type Clock, type Policy, type Principal, type RegistryProblem } from '@adjutant/core'
import { openPostgresDatabase, type SqlDatabase } from '@adjutant/tools'
import type { CliIo } from '../cli-io.ts'
import type { Config, PostgresConfig } from './config.ts'
import { openPolicy } from './open-guards.ts'
import { personOf } from './principal.ts'

export interface PostgresHost {
  readonly io: Pick<CliIo, 'env'>
  readonly clock: Clock
  /** Undefined: with the roles of the configuration. */
  readonly principal: Principal | undefined
}

interface OpenedDatabases {
  readonly databases: ReadonlyMap<string, SqlDatabase>
  readonly problems: readonly RegistryProblem[]
}

/** Beside each other: a server that does not answer takes seconds. @throws AdjutantError CONFIG_INVALID when the policy cannot be read */
export async function openPostgresDatabases(config: Config, host: PostgresHost): Promise<OpenedDatabases> {
  const wanted = Object.entries(config.databases).flatMap(([name, database]) => (typeof database === 'string' ? [] : [{ name, database }]))
  if (wanted.length === 0) return { databases: new Map(), problems: [] }
  const principal = host.principal ?? personOf(config, undefined).principal
  const policy = await openPolicy(config, host.io)
  const databases = new Map<string, SqlDatabase>()
  const problems: RegistryProblem[] = []
  await Promise.all(
    wanted.map(async ({ name, database }) => {
      try {
        databases.set(name, await open(name, database, { policy, principal, clock: host.clock }))
      } catch (error) {
        const { code, message, hint } = AdjutantError.from(error, 'ORIGIN_UNAVAILABLE')
        problems.push({ code, source: config.file ?? 'built-in', tool: 'sql_query', message: `the database ${name}: ${message}`, hint })
      }
    }),
  )
  return { databases, problems }
}

interface Gate {
  readonly policy: Policy
  readonly principal: Principal
  readonly clock: Clock
}

async function open(name: string, { ca, ...settings }: PostgresConfig, gate: Gate): Promise<SqlDatabase> {
  const trusted = ca === undefined ? undefined : await certificates(ca)
  return openPostgresDatabase({
    ...settings,
    ...(trusted === undefined ? {} : { ca: trusted }),
    clock: gate.clock,
    mayConnect: (host, port) => checkHost(gate, name, addressOf(host, port)),
  })
}

async function certificates(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new AdjutantError('CONFIG_INVALID', `"ca" cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      hint: 'Name a file with certificates in PEM.',
    })
  }
}

/** A socket lies on this machine. */
function addressOf(host: string, port: number): string {
  if (host.startsWith('/')) return `localhost:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * Nobody can be asked while tools are opened, so a rule that asks because of the host refuses; one that asks about every call does not: it asks then.
 *
 * @throws AdjutantError DENIED_BY_POLICY
 */
function checkHost({ policy, principal }: Gate, database: string, host: string): void {
  const decide = (input: { readonly database: string; readonly host?: string }) =>
    policy.decide({ principal, tool: CONNECTING, effect: 'read', input: { ...input }, mode: 'ask', untrusted: [] })
  const decision = decide({ database, host })
  if (decision.effect === 'allow') return
  if (decision.effect === 'ask' && decide({ database }).effect === 'ask') return
  throw new AdjutantError('DENIED_BY_POLICY', `the rule ${decision.rule} does not let sql_query reach ${host}: ${decision.reason}`, {
    hint: 'Take the database out of the configuration, or change the rule.',
  })
}

/** What rules see of the tool before there is one. */
const CONNECTING: AgentTool = {
  name: 'sql_query',
  description: 'Connects to a database.',
  inputSchema: { type: 'object' },
  origin: { kind: 'built-in', from: '@adjutant/tools' },
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  execute: () => Promise.reject(new AdjutantError('INTERNAL', 'this stands for a call and is none')),
}
