/** In the header of a SQLite file, so that no other program's database is taken for ours: `Adju`. */
export const APPLICATION_ID = 0x41646a75
