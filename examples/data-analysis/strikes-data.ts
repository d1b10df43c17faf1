/**
 * Owns strikes.csv: collisions of aircraft with animals that three airports reported, from the Wildlife Strike Database of the US Federal Aviation
 * Administration (a work of the US government, free to use) as the npm package vega-datasets has it. The file is part of the example; this makes it.
 *
 * Usage: node strikes-data.ts
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const STRIKES_FILE = join(import.meta.dirname, 'strikes.csv')

/** As the database writes them → as people do. */
const AIRPORTS: Readonly<Record<string, string>> = {
  'SACRAMENTO INTL': 'Sacramento',
  'PORTLAND INTL (OR)': 'Portland',
  'SALT LAKE CITY INTL': 'Salt Lake City',
}

/** Our column → the one of the database. What nobody reported stays empty. */
const COLUMNS: readonly (readonly [string, string])[] = [
  ['date', 'Flight Date'],
  ['airport', 'Airport Name'],
  ['aircraft', 'Aircraft Make Model'],
  ['phase', 'Phase of flight'],
  ['time_of_day', 'Time of day'],
  ['animal_size', 'Wildlife Size'],
  ['animal', 'Wildlife Species'],
  ['damage', 'Effect Amount of damage'],
  ['speed_knots', 'Speed IAS in knots'],
]

/** @throws Error when the package's file is not there or not in the form this was written for */
export async function strikesCsv(): Promise<string> {
  // The package exports its code only; the data lies beside that.
  const file = new URL('../data/birdstrikes.csv', import.meta.resolve('vega-datasets'))
  const text = await readFile(file, 'utf8')
  if (text.includes('"')) throw new Error(`${file.pathname}: has quoted fields, which this does not read`)
  const [header = [], ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  const places = COLUMNS.map(([, name]) => {
    const place = header.indexOf(name)
    if (place === -1) throw new Error(`${file.pathname}:1: has no column ${JSON.stringify(name)}`)
    return place
  })
  const lines = rows.flatMap((row) => {
    const airport = AIRPORTS[row[header.indexOf('Airport Name')] ?? '']
    if (airport === undefined) return []
    return [places.map((place, at) => (COLUMNS[at]?.[0] === 'airport' ? airport : (row[place] ?? ''))).join(',')]
  })
  // A line starts with its date.
  return `${[COLUMNS.map(([name]) => name).join(','), ...lines.sort()].join('\n')}\n`
}

if (import.meta.main) await writeFile(STRIKES_FILE, await strikesCsv())
