/** Owns the figures of a week. */
import type { Week } from './task.ts'
import type { Day } from './weather-data.ts'

export interface Figures {
  readonly days: readonly Day[]
  readonly meanMaximum: number
  readonly highest: number
  readonly hotDays: number
  readonly meanMinimum: number
  readonly rain: number
}

export function figuresOf(days: readonly Day[], city: string, week: Week, hotDay: number): Figures {
  const chosen = days.filter((day) => day.location === city && day.date >= week.from && day.date <= week.to)
  if (chosen.length !== 7) throw new Error(`the week of ${week.from} has ${chosen.length} days of ${city}, not 7`)
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    days: chosen,
    meanMaximum: mean(chosen.map((day) => day.maximum)),
    highest: Math.max(...chosen.map((day) => day.maximum)),
    hotDays: chosen.filter((day) => day.maximum >= hotDay).length,
    meanMinimum: mean(chosen.map((day) => day.minimum)),
    rain: chosen.reduce((sum, day) => sum + day.precipitation, 0),
  }
}
