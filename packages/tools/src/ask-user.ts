/**
 * ask_user: a question to the person at the terminal. The interaction lock is taken by the context's `ask`, so questions come one
 * at a time; where nobody can answer, the call fails with QUESTION_UNANSWERED and the model goes on with what it knows.
 */
import { AdjutantError, type AgentTool, type JsonObject, ownValue } from '@adjutant/core/contract'
import { BUILT_IN } from './files/file-tool-context.ts'
import { textField } from './input-fields.ts'

const MAX_CHOICES = 20

export const askUserTool: AgentTool = {
  name: 'ask_user',
  description:
    'Ask the person a question and wait for the answer. Use for: a decision or a fact that only the person has and the work depends on. ' +
    'Not for: what can be found out with another tool, permission for a call (that is asked for by itself), or telling something.',
  inputSchema: {
    type: 'object',
    properties: {
      question: {
        type: 'string',
        minLength: 1,
        maxLength: 2_000,
        description: 'One clear question.',
        examples: ['Which week shall the report cover?'],
      },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        minItems: 2,
        maxItems: MAX_CHOICES,
        uniqueItems: true,
        description: 'The possible answers. Leave out for a free answer.',
        examples: [['week 12', 'week 13']],
      },
    },
    required: ['question'],
    additionalProperties: false,
    examples: [{ question: 'Which week shall the report cover?', choices: ['week 12', 'week 13'] }],
  },
  origin: BUILT_IN,
  tier: 'core',
  lifetime: 'session',
  effect: 'read',
  // A second attempt would ask the person twice.
  repeatable: false,
  async execute(input, cx) {
    const text = textField(input, 'question').trim()
    if (text.length === 0) throw new AdjutantError('INVALID_ARGUMENTS', '"question" is empty')
    const choices = choicesOf(input)
    return cx.ask(choices === undefined ? { text } : { text, choices })
  },
}

function choicesOf(input: JsonObject): readonly string[] | undefined {
  const value = ownValue(input, 'choices')
  if (value === undefined || value === null) return undefined
  const choices = Array.isArray(value) ? value.filter((choice) => typeof choice === 'string' && choice.trim().length > 0) : []
  if (!Array.isArray(value) || choices.length !== value.length || choices.length < 2 || choices.length > MAX_CHOICES) {
    throw new AdjutantError('INVALID_ARGUMENTS', `"choices" must be a list of 2 to ${MAX_CHOICES} texts`)
  }
  return choices
}
