/** Owns the report as the recorded model writes it: every figure computed from the data, the form that of skills/report-style. */
import type { Figures } from './figures.ts'
import { CLOSING_TIME, HOT_DAY, HOT_DAYS_TO_ACT } from './prepare.ts'
import { CITY, THIS_WEEK } from './task.ts'
import { DATA_SET } from './weather-data.ts'

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** `2015-07-02` → `2 July` */
function dayName(date: string): string {
  const [, month, day] = date.split('-').map(Number)
  return `${day} ${MONTHS[(month ?? 1) - 1]}`
}

/** A change as the skill wants it: the difference of what is shown, with its sign. */
function change(now: string, before: string, digits: number): string {
  const difference = Number((Number(now) - Number(before)).toFixed(digits))
  if (difference === 0) return '0'
  return `${difference > 0 ? '+' : '−'}${Math.abs(difference).toFixed(digits)}`
}

function row(title: string, now: number, before: number, digits: number): string {
  const shown = [now.toFixed(digits), before.toFixed(digits)] as const
  return `| ${title} | ${shown[0]} | ${shown[1]} | ${change(shown[0], shown[1], digits)} |`
}

/** What the figures ask of the reader. */
export function conclusion(now: Figures): string {
  return now.hotDays >= HOT_DAYS_TO_ACT
    ? `Keep the centres open until ${CLOSING_TIME} in the coming week: this week had ${now.hotDays} hot days.`
    : `Close at the usual hour in the coming week: this week had ${now.hotDays} hot days.`
}

export function reportText(now: Figures, before: Figures): string {
  const hottest = now.days.find((day) => day.maximum === now.highest)
  const hot = now.days.filter((day) => day.maximum >= HOT_DAY)
  const wet = now.days.filter((day) => day.precipitation > 0)
  const [first, last] = [hot[0], hot.at(-1)]
  const inRow =
    first !== undefined && last !== undefined && Date.parse(last.date) - Date.parse(first.date) === (hot.length - 1) * 86_400_000
  const notes = [
    ...(first === undefined || last === undefined || first === last
      ? []
      : [
          { date: first.date, text: `${dayName(first.date)} to ${dayName(last.date)}: ${hot.length} hot days${inRow ? ' in a row' : ''}.` },
        ]),
    ...(hottest === undefined
      ? []
      : [{ date: hottest.date, text: `${dayName(hottest.date)}: the highest maximum, ${hottest.maximum.toFixed(1)} °C.` }]),
    {
      date: now.days[6]?.date ?? '',
      text: wet.length === 0 ? 'No day of this week had rain.' : `Days with rain: ${wet.map((day) => dayName(day.date)).join(', ')}.`,
    },
  ]
  notes.sort((a, b) => a.date.localeCompare(b.date))
  return [
    `# ${CITY}: week of ${dayName(THIS_WEEK.from)} to ${dayName(THIS_WEEK.to)} ${THIS_WEEK.to.slice(0, 4)}`,
    '',
    conclusion(now),
    '',
    '| Figure | This week | Week before | Change |',
    '| --- | ---: | ---: | ---: |',
    row(`Hot days (maximum ${HOT_DAY} °C or more)`, now.hotDays, before.hotDays, 0),
    row('Highest maximum, °C', now.highest, before.highest, 1),
    row('Mean maximum, °C', now.meanMaximum, before.meanMaximum, 1),
    row('Mean minimum, °C', now.meanMinimum, before.meanMinimum, 1),
    row('Rain, mm', now.rain, before.rain, 1),
    '',
    '## Days to know',
    '',
    ...notes.map((note) => `- ${note.text}`),
    '',
    `Source: ${DATA_SET}, ${now.days.length + before.days.length} days read; made by Adjutant.`,
    '',
  ].join('\n')
}
