/** Owns the data of the example: the weather of two cities from the npm package vega-datasets (NOAA, public domain), as rows and as a database. */
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'

export interface Day {
  readonly location: string
  /** ISO date. */
  readonly date: string
  readonly precipitation: number
  readonly maximum: number
  readonly minimum: number
  readonly weather: string
}

export const DATA_SET = 'vega-datasets, weather.csv (NOAA)'

/** @throws Error when the file is not there or not in the form this was written for */
export async function readDays(): Promise<readonly Day[]> {
  // The package exports its code only; the data lies beside that.
  const file = new URL('../data/weather.csv', import.meta.resolve('vega-datasets'))
  const [header, ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/)
  if (header !== 'location,date,precipitation,temp_max,temp_min,wind,weather') {
    throw new Error(
      `${file.pathname}:1: unknown columns ${JSON.stringify(header)}; run npm ci for the version of vega-datasets that this reads`,
    )
  }
  return lines.map((line, at) => {
    const [location = '', date = '', precipitation, maximum, minimum, , weather = ''] = line.split(',')
    const day = { location, date, precipitation: Number(precipitation), maximum: Number(maximum), minimum: Number(minimum), weather }
    if (weather === '' || !Number.isFinite(day.precipitation + day.maximum + day.minimum)) {
      throw new Error(`${file.pathname}:${at + 2}: not a day: ${JSON.stringify(line.slice(0, 100))}`)
    }
    return day
  })
}

/** Makes a database with the table `daily_weather`. The file must not exist. */
export function createDatabase(file: string, days: readonly Day[]): void {
  const database = new DatabaseSync(file)
  try {
    database.exec(`
      CREATE TABLE daily_weather (
        location TEXT NOT NULL,
        date TEXT NOT NULL,
        precipitation REAL NOT NULL,
        temp_max REAL NOT NULL,
        temp_min REAL NOT NULL,
        weather TEXT NOT NULL,
        PRIMARY KEY (location, date)
      ) STRICT;
      BEGIN;
    `)
    const insert = database.prepare('INSERT INTO daily_weather VALUES (?, ?, ?, ?, ?, ?)')
    for (const day of days) insert.run(day.location, day.date, day.precipitation, day.maximum, day.minimum, day.weather)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}
