/**
 * Writes conversation.jsonl, the model's side of the example: what a model would decide, streamed token by token in Chat Completions form, with the
 * figures of its last answer computed from the data, and the answers of the person who was asked.
 *
 * Usage: node make-conversation.ts
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatStream, type Spoken } from '../weekly-report/chat-stream.ts'
import { type StrikeFigures, strikeFigures } from './figures.ts'
import { ANALYSE, LOOK } from './programs.ts'
import { DATA_NAME, FIRST_YEAR, LAST_YEAR, PICTURE_NAME, TASK } from './task.ts'

const MODEL = 'data-analysis-recording'
const PACE_MS = 12
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) })

function answer(figures: StrikeFigures): string {
  const [slowest, fastest] = [figures.phases.at(-1), figures.phases[0]]
  const airports = figures.airports.map(
    ({ airport, strikes, trend, month, inMonth }) =>
      `- ${airport}: ${strikes} strikes, ${trend.toFixed(2)} more each year; most in ${MONTHS[month - 1]} (${inMonth}).`,
  )
  const phases = figures.phases.map(({ phase, meanKnots, known }) => `${phase} ${meanKnots.toFixed(1)} knots (of ${known})`)
  return [
    `Reports grew at all three airports from ${FIRST_YEAR} to ${LAST_YEAR}; the picture is ${PICTURE_NAME}.`,
    '',
    ...airports,
    '',
    `Mean speed, from ${fastest?.phase ?? 'none'} to ${slowest?.phase ?? 'none'}: ${phases.join(', ')}.`,
    '',
    `Speed was reported for ${figures.known} of ${figures.rows} strikes. ${figures.leftOut} rows after ${LAST_YEAR} are not in the trend: that year is not whole. ` +
      'More reports need not mean more strikes.',
  ].join('\n')
}

export async function conversation(): Promise<string> {
  const rounds: readonly Omit<Spoken, 'promptTokens'>[] = [
    { text: 'First I look at the file.', calls: [call('list_directory', {}), call('read_file', { path: DATA_NAME, limit: 8 })] },
    { text: 'One line for each strike. How much is there, and what is missing?', calls: [call('python', { code: LOOK })] },
    {
      text: 'Many speeds are empty, so means are taken over those that are known; and the last year is not whole. Now the figures and the picture.',
      calls: [call('python', { code: ANALYSE })],
    },
    { text: answer(await strikeFigures()), calls: [] },
  ]
  // A rough count, as nobody bills it: four letters a token, and all that was said before goes along each time.
  let said = TASK.length
  const answers = rounds.map((round, at) => {
    const promptTokens = 1_900 + Math.ceil(said / 4)
    said += round.text.length + round.calls.reduce((sum, one) => sum + one.arguments.length + 400, 0)
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': `req_data_analysis_${at + 1}` },
      paceMs: PACE_MS,
      chunks: chatStream(MODEL, at + 1, { ...round, promptTokens }),
    }
  })
  const approvals = [1, 2].map(() => ({ tool: 'python', answer: 'approve', scope: 'once' }))
  const lines = [{ adjutant: 'recording', version: 1, dialect: 'openai-chat', model: MODEL }, ...answers, { approvals }]
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
}

if (import.meta.main) await writeFile(join(import.meta.dirname, 'conversation.jsonl'), await conversation())
