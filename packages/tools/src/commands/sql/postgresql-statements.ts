/** Owns what each kind of statement of PostgreSQL does, by the names of its parse tree. What is not in the table is dangerous. */
import type { Effect } from '@adjutant/core/contract'

export interface StatementVerdict {
  readonly effect: Effect
  readonly reason: string
}

type Row = readonly [effect: Effect, reason: string, ...kinds: readonly string[]]

const ROWS: readonly Row[] = [
  ['read', '', 'SelectStmt', 'VariableShowStmt', 'FetchStmt', 'ClosePortalStmt', 'DeallocateStmt', 'ListenStmt', 'UnlistenStmt'],
  ['read', '', 'ExplainStmt', 'DeclareCursorStmt', 'PrepareStmt', 'CopyStmt', 'TransactionStmt', 'ReturnStmt'],
  ['write', 'inserts rows', 'InsertStmt'],
  ['write', 'changes rows', 'UpdateStmt', 'MergeStmt'],
  ['write', 'deletes rows', 'DeleteStmt'],
  ['write', 'creates a table', 'CreateStmt', 'CreateTableAsStmt'],
  ['write', 'creates a view', 'ViewStmt'],
  ['write', 'creates an index', 'IndexStmt'],
  ['write', 'creates a schema', 'CreateSchemaStmt'],
  ['write', 'creates a sequence', 'CreateSeqStmt'],
  ['write', 'creates a type', 'CreateEnumStmt', 'CompositeTypeStmt', 'CreateDomainStmt', 'CreateRangeStmt'],
  ['write', 'creates statistics', 'CreateStatsStmt'],
  ['write', 'changes a comment', 'CommentStmt'],
  ['write', 'rewrites what is stored', 'VacuumStmt', 'ReindexStmt', 'ClusterStmt', 'RefreshMatViewStmt'],
  ['write', 'locks a table', 'LockStmt'],
  ['write', 'sends a message', 'NotifyStmt'],
  ['write', 'changes a setting', 'VariableSetStmt', 'ConstraintsSetStmt', 'DiscardStmt'],
  [
    'dangerous',
    'drops what is stored',
    'DropStmt',
    'DropdbStmt',
    'DropTableSpaceStmt',
    'DropRoleStmt',
    'DropOwnedStmt',
    'DropUserMappingStmt',
    'DropSubscriptionStmt',
  ],
  ['dangerous', 'empties a table', 'TruncateStmt'],
  ['dangerous', 'runs a block of code', 'DoStmt'],
  ['dangerous', 'runs a procedure that is not seen', 'CallStmt'],
  ['dangerous', 'runs a prepared statement that is not seen', 'ExecuteStmt'],
  ['dangerous', 'loads code into the server', 'LoadStmt', 'CreateExtensionStmt', 'CreatePLangStmt'],
  [
    'dangerous',
    'changes what statements do',
    'CreateFunctionStmt',
    'CreateTrigStmt',
    'RuleStmt',
    'CreateEventTrigStmt',
    'CreatePolicyStmt',
    'CreateCastStmt',
    'CreateTransformStmt',
    'DefineStmt',
  ],
  [
    'dangerous',
    'changes rights',
    'GrantStmt',
    'GrantRoleStmt',
    'CreateRoleStmt',
    'AlterRoleStmt',
    'AlterRoleSetStmt',
    'AlterDefaultPrivilegesStmt',
    'ReassignOwnedStmt',
    'SecLabelStmt',
  ],
  [
    'dangerous',
    'reaches another server',
    'CreateForeignServerStmt',
    'CreateUserMappingStmt',
    'CreateForeignTableStmt',
    'CreateFdwStmt',
    'ImportForeignSchemaStmt',
    'CreateSubscriptionStmt',
    'CreatePublicationStmt',
  ],
  ['dangerous', 'administers the server', 'AlterSystemStmt', 'CheckPointStmt', 'CreatedbStmt', 'CreateTableSpaceStmt'],
]

const VERDICTS: ReadonlyMap<string, StatementVerdict> = new Map(
  ROWS.flatMap(([effect, reason, ...kinds]) => kinds.map((kind): [string, StatementVerdict] => [kind, { effect, reason }])),
)

/** Undefined for a node that is no statement. */
export function verdictOfKind(kind: string): StatementVerdict | undefined {
  const known = VERDICTS.get(kind)
  if (known !== undefined) return known
  // Members such as `selectStmt` hold a node; they are none.
  if (!/^[A-Z]\w*Stmt$/.test(kind) || kind === 'RawStmt' || kind === 'PLAssignStmt') return undefined
  if (kind.startsWith('Alter') || kind === 'RenameStmt') return { effect: 'dangerous', reason: 'alters what is stored' }
  return { effect: 'dangerous', reason: `is a kind of statement that is not known (${kind})` }
}

/** Settings that decide whose rights count, or whether checks and logs hold. */
export const GUARDING_SETTINGS: ReadonlySet<string> = new Set([
  'role',
  'session_authorization',
  'session_replication_role',
  'row_security',
  'default_transaction_read_only',
  'transaction_read_only',
  'standard_conforming_strings',
  'backslash_quote',
  'check_function_bodies',
  'log_statement',
  'allow_system_table_mods',
  'local_preload_libraries',
  'session_preload_libraries',
])

/** Tables of the catalogue with hashes of passwords and passwords of other servers. */
export const SECRET_TABLES: ReadonlySet<string> = new Set([
  'pg_authid',
  'pg_shadow',
  'pg_user_mapping',
  'pg_user_mappings',
  'pg_subscription',
])
