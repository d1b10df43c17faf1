/** Owns the figures that the recorded model's last answer names, computed from strikes.csv. */
import { readFile } from 'node:fs/promises'
import { STRIKES_FILE } from './strikes-data.ts'
import { FIRST_YEAR, LAST_YEAR } from './task.ts'

interface AirportFigures {
  readonly airport: string
  readonly strikes: number
  /** Strikes a year that each year adds: least squares over the whole years. */
  readonly trend: number
  /** 1 to 12. */
  readonly month: number
  readonly inMonth: number
}

interface PhaseFigures {
  readonly phase: string
  readonly meanKnots: number
  /** Strikes whose speed is known. */
  readonly known: number
}

export interface StrikeFigures {
  readonly rows: number
  readonly leftOut: number
  readonly airports: readonly AirportFigures[]
  /** The fastest first. */
  readonly phases: readonly PhaseFigures[]
  readonly known: number
}

/** @throws Error when the file is not there or not in the form this was written for */
export async function strikeFigures(): Promise<StrikeFigures> {
  const [header, ...lines] = (await readFile(STRIKES_FILE, 'utf8')).trim().split('\n')
  if (header === undefined || !header.startsWith('date,airport,aircraft,phase,') || !header.endsWith(',speed_knots'))
    throw new Error(`${STRIKES_FILE}:1: unknown columns ${JSON.stringify(header)}; make it with node strikes-data.ts`)
  const strikes = lines.map((line) => {
    const fields = line.split(',')
    const [date = '', airport = '', , phase = ''] = fields
    const speed = fields.at(-1) ?? ''
    return {
      year: Number(date.slice(0, 4)),
      month: Number(date.slice(5, 7)),
      airport,
      phase,
      speed: speed === '' ? undefined : Number(speed),
    }
  })
  const whole = strikes.filter(({ year }) => year >= FIRST_YEAR && year <= LAST_YEAR)
  const airports = [...Map.groupBy(whole, ({ airport }) => airport)].map(([airport, own]) => {
    const counts = Array.from({ length: LAST_YEAR - FIRST_YEAR + 1 }, (_, at) => own.filter(({ year }) => year === FIRST_YEAR + at).length)
    const months = Array.from({ length: 12 }, (_, at) => own.filter(({ month }) => month === at + 1).length)
    const inMonth = Math.max(...months)
    return { airport, strikes: own.length, trend: slopeOf(counts), month: months.indexOf(inMonth) + 1, inMonth }
  })
  const speeds = Map.groupBy(
    strikes.flatMap(({ phase, speed }) => (speed === undefined ? [] : [{ phase, speed }])),
    ({ phase }) => phase,
  )
  const phases = [...speeds].map(([phase, own]) => ({
    phase,
    meanKnots: own.reduce((sum, { speed }) => sum + speed, 0) / own.length,
    known: own.length,
  }))
  return {
    rows: strikes.length,
    leftOut: strikes.length - whole.length,
    airports: airports.sort((a, b) => b.trend - a.trend),
    phases: phases.sort((a, b) => b.meanKnots - a.meanKnots),
    known: phases.reduce((sum, { known }) => sum + known, 0),
  }
}

/** Of the line through the values by least squares, each one step from the next. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const above = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0)
  return above / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0)
}
