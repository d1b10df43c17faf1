/**
 * Writes conversation.jsonl, the model's side of the example: what a model would decide, streamed token by token in Chat
 * Completions form, with figures computed from the data, and the answers of the person who was asked.
 *
 * Usage: node make-conversation.ts
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatStream, type Spoken } from './chat-stream.ts'
import { figuresOf } from './figures.ts'
import { HOT_DAY } from './prepare.ts'
import { conclusion, reportText } from './report.ts'
import { CITY, TASK, THIS_WEEK, WEEK_BEFORE, type Week } from './task.ts'
import { readDays } from './weather-data.ts'

const MODEL = 'weekly-report-recording'
const PACE_MS = 12

const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) })

const days = (week: Week) =>
  call('sql_query', {
    sql: 'SELECT date, temp_max, temp_min, precipitation, weather FROM daily_weather WHERE location = ? AND date BETWEEN ? AND ? ORDER BY date',
    parameters: [CITY, week.from, week.to],
  })

/** The first time with a limit that is no number: the model is told, and corrects it. */
const comparison = (limit: number | string) =>
  call('sql_query', {
    sql: [
      'SELECT date >= :monday AS this_week, count(*) AS days, sum(temp_max >= :hot) AS hot_days, max(temp_max) AS highest_max,',
      'round(avg(temp_max), 1) AS mean_max, round(avg(temp_min), 1) AS mean_min, round(sum(precipitation), 1) AS rain',
      'FROM daily_weather WHERE location = :city AND date BETWEEN :from AND :to GROUP BY this_week ORDER BY this_week',
    ].join(' '),
    parameters: { monday: THIS_WEEK.from, hot: HOT_DAY, city: CITY, from: WEEK_BEFORE.from, to: THIS_WEEK.to },
    limit,
  })

export async function conversation(): Promise<string> {
  const data = await readDays()
  const now = figuresOf(data, CITY, THIS_WEEK, HOT_DAY)
  const before = figuresOf(data, CITY, WEEK_BEFORE, HOT_DAY)
  const csv = [
    'date,temp_max,temp_min,precipitation',
    ...now.days.map((day) => [day.date, day.maximum, day.minimum, day.precipitation].join(',')),
  ]
  const rounds: readonly Omit<Spoken, 'promptTokens'>[] = [
    { text: 'I start with the days of both weeks.', calls: [days(WEEK_BEFORE), days(THIS_WEEK)] },
    {
      text: 'Fourteen days are there. Now the house style, and what the team calls a hot day.',
      calls: [call('report-style', {}), call('mcp__memory__open_nodes', { names: ['cooling-centres'] })],
    },
    { text: `A hot day starts at ${HOT_DAY} °C. I compare the two weeks.`, calls: [comparison('all')] },
    { text: 'The limit has to be a number.', calls: [comparison(10)] },
    {
      text: 'The days of this week could go along as a file.',
      calls: [call('write_file', { path: 'summary.csv', content: `${csv.join('\n')}\n` })],
    },
    {
      text: 'Understood: one file. I write the report.',
      calls: [call('write_file', { path: 'report.md', content: reportText(now, before) })],
    },
    {
      text: `report.md is written. ${conclusion(now)} The week before had ${before.hotDays}. summary.csv was not written, as you decided.`,
      calls: [],
    },
  ]
  // A rough count, as nobody bills it: four letters a token, and all that was said before goes along each time.
  let said = TASK.length
  const answers = rounds.map((round, at) => {
    const promptTokens = 1_900 + Math.ceil(said / 4)
    said += round.text.length + round.calls.reduce((sum, one) => sum + one.arguments.length + 400, 0)
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': `req_weekly_report_${at + 1}` },
      paceMs: PACE_MS,
      chunks: chatStream(MODEL, at + 1, { ...round, promptTokens }),
    }
  })
  const approvals = [
    { tool: 'write_file', answer: 'deny', reason: 'One file only: nobody reads attachments. Put what matters into report.md.' },
    { tool: 'write_file', answer: 'approve', scope: 'once' },
  ]
  const lines = [{ adjutant: 'recording', version: 1, dialect: 'openai-chat', model: MODEL }, ...answers, { approvals }]
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

if (import.meta.main) await writeFile(join(import.meta.dirname, 'conversation.jsonl'), await conversation())
