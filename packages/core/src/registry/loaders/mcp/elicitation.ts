import { AdjutantError, isJsonObject, type JsonObject, type JsonValue, type Question } from '../../../contract/index.ts'
import { ownValue } from '../../../contract/json.ts'
import { type FieldValue, type FormField, formField } from './elicitation-field.ts'

/**
 * Owns how a server's question reaches the person and comes back. It is told apart from a tool's own question by naming the server.
 * `accept`: the person filled in the form, or says that the address was visited. `decline`: the person said no, or nobody is there to
 * say anything. `cancel`: neither, as the call was stopped or no answer fitted. An address is shown and never opened from here.
 */

export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Record<string, FieldValue> }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' }

export interface ElicitationCaller {
  readonly server: string
  /** The tools that may have caused the question. */
  readonly tools: readonly string[]
  ask(question: Question): Promise<string>
}

const ANSWER = 'answer'
const DONE = 'done'
const DECLINE = 'decline'
const MAX_FIELDS = 50
const MAX_MESSAGE = 4_000
/** So often a field is asked for. */
const TRIES = 3

const DECLINED = { action: 'decline' } as const
const CANCELLED = { action: 'cancel' } as const

export async function answerElicitation(params: JsonObject, caller: ElicitationCaller): Promise<ElicitationAnswer> {
  const message = ownValue(params, 'message')
  const words = (typeof message === 'string' ? message : '').slice(0, MAX_MESSAGE)
  const head = `The MCP server "${caller.server}" asks (${caller.tools.join(' or ')}): ${words}`
  try {
    return ownValue(params, 'mode') === 'url'
      ? await answerUrl(head, ownValue(params, 'url'), caller)
      : await answerForm(head, ownValue(params, 'requestedSchema'), caller)
  } catch (error) {
    return AdjutantError.isInstance(error) && error.code === 'QUESTION_UNANSWERED' ? DECLINED : CANCELLED
  }
}

async function answerUrl(head: string, url: JsonValue | undefined, caller: ElicitationCaller): Promise<ElicitationAnswer> {
  if (typeof url !== 'string' || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return CANCELLED
  const text = `${head}\nIt wants you to open an address at ${new URL(url).host} yourself:\n${url}\nDone there?`
  return (await caller.ask({ text, choices: [DONE, DECLINE] })) === DONE ? { action: 'accept' } : DECLINED
}

async function answerForm(head: string, schema: JsonValue | undefined, caller: ElicitationCaller): Promise<ElicitationAnswer> {
  const fields = readFields(schema)
  if (fields === undefined) return CANCELLED
  const wanted = fields.length === 0 ? '' : `\nIt wants to know: ${fields.map(({ name }) => name).join(', ')}.`
  // Without a fallback: where nobody is, nobody has agreed.
  if ((await caller.ask({ text: `${head}${wanted}`, choices: [ANSWER, DECLINE] })) !== ANSWER) return DECLINED
  const content: [string, FieldValue][] = []
  for (const field of fields) {
    const answer = await askField(field, caller)
    if (answer === undefined) return CANCELLED
    if (answer.value !== undefined) content.push([field.name, answer.value])
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

async function askField(field: FormField, caller: ElicitationCaller): Promise<{ readonly value?: FieldValue } | undefined> {
  let problem = ''
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { question } = field
    const reading = field.read(await caller.ask(problem === '' ? question : { ...question, text: `${question.text} — ${problem}` }))
    if (reading.ok) return reading
    problem = reading.problem
  }
  return undefined
}

/** Undefined when there is a field that no person can be asked for. */
function readFields(schema: JsonValue | undefined): readonly FormField[] | undefined {
  if (schema === undefined) return []
  if (!isJsonObject(schema)) return undefined
  const properties = ownValue(schema, 'properties')
  if (properties === undefined) return []
  if (!isJsonObject(properties)) return undefined
  const required = ownValue(schema, 'required')
  const entries = Object.entries(properties)
  if (entries.length > MAX_FIELDS) return undefined
  const fields: FormField[] = []
  for (const [name, value] of entries) {
    const isRequired = Array.isArray(required) && required.includes(name)
    const field = formField(name, value, isRequired)
    if (field !== undefined) fields.push(field)
    else if (isRequired) return undefined
  }
  return fields
}
