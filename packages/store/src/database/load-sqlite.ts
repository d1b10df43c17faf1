/** Owns how SQLite is had from Node: on Node 22 without the note that it is an experiment, which would go to every user's terminal. */

type Sqlite = typeof import('node:sqlite')

let loaded: Sqlite | undefined

export function loadSqlite(): Sqlite {
  if (loaded !== undefined) return loaded
  const emit = process.emitWarning
  // Only while this one module is loaded; other notes go through as they are.
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite is an experimental feature')) Reflect.apply(emit, process, [warning, ...rest])
  }
  try {
    loaded = process.getBuiltinModule('node:sqlite')
    return loaded
  } finally {
    process.emitWarning = emit
  }
}
