import type { StoreDatabase } from '../database/index.ts'
import type { ChangeBell } from './change-bell.ts'
import { LocalBell } from './local-bell.ts'
import { PostgresBell } from './postgres-bell.ts'
import { SqliteBell } from './sqlite-bell.ts'

/** The bell of a database: as far as it can carry rings. @param warn told why rings of other processes are not heard */
export function openBell(db: StoreDatabase, warn: (message: string) => void): ChangeBell {
  const { clock, postgres, engine } = db
  if (postgres !== undefined) return new PostgresBell({ ...postgres, clock, warn, tag: db.ids.traceId().slice(0, 16) })
  if (engine.dataVersion === undefined) return new LocalBell(clock)
  return new SqliteBell({ clock, version: () => engine.dataVersion?.() })
}
