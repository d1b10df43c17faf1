/** What a name, a description and the parameters' descriptions should say. Each rule looks at one tool. */
import { isJsonObject, type JsonSchema, ownValue } from '../../contract/json.ts'
import { FUNCTION_WORDS } from '../search/common-words.ts'
import type { SearchDocument } from '../search/search-document.ts'
import { finding, type LintFinding } from './finding.ts'

const LONGEST_NAME = 64
const LONGEST_DESCRIPTION = 1_024
const FEWEST_WORDS = 3
const GRAMMAR = new Set(FUNCTION_WORDS.split(' '))
/** Words that fit every tool, so a name of nothing else names none. */
const VAGUE = new Set(
  'get set do run call make use execute exec process handle handler perform manage manager data info information item items object thing value values input output query action operation function func tool tools api main test util utils helper helpers misc general generic all latest list search find fetch update create delete add remove health status index request response v1 v2'.split(
    ' ',
  ),
)
const LIMITS =
  /\b(?:not|do(?:es)? not|don'?t|doesn'?t|never|instead|only (?:for|when|if|use|works?)|use .{1,60} for|rather than|unless|except|cannot|can'?t|without)\b|不(?:要|能|用于|适用)|只|仅/i

export function* nameFindings({ id, name, title }: SearchDocument): Generator<LintFinding> {
  if (name.length > LONGEST_NAME) {
    yield finding('name-long', [id], `the name has ${name.length} characters`, `Shorten it to ${LONGEST_NAME}.`)
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    const odd = [...new Set(name.match(/[^A-Za-z0-9_-]/gu) ?? [])].slice(0, 5).map((character) => JSON.stringify(character))
    yield finding('name-characters', [id], `the name has ${odd.join(', ') || 'no characters'}`, 'Use letters, digits, _ and - only.')
  }
  const words = name.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '')
  if (title === undefined && words.every((word) => VAGUE.has(word.toLowerCase()))) {
    yield finding(
      'name-vague',
      [id],
      `${JSON.stringify(name.slice(0, 80))} could be any tool`,
      'Name what it works on, e.g. get_invoice for get.',
    )
  }
}

export function* descriptionFindings({ id, name, description }: SearchDocument): Generator<LintFinding> {
  const text = description.trim()
  if (text === '') {
    yield finding(
      'description-empty',
      [id],
      'there is no description',
      'Say in one or two sentences what it does, when to use it and when not.',
    )
    return
  }
  if (!/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}/.test(text)) {
    const said = new Set(wordsOf(name))
    const more = wordsOf(text).filter((word) => !said.has(word) && !GRAMMAR.has(word))
    if (more.length < FEWEST_WORDS) {
      yield finding(
        'description-short',
        [id],
        `${JSON.stringify(text.slice(0, 80))} says little`,
        'Say what it does, with what, and what comes back.',
      )
    }
  }
  if (text.length > LONGEST_DESCRIPTION) {
    yield finding(
      'description-long',
      [id],
      `the description has ${text.length} characters`,
      'Keep what helps to choose; move the rest to the parameters.',
    )
  }
  if (!LIMITS.test(text)) {
    yield finding('description-limits', [id], 'the description has no limits', 'Add what it is not for, and which tool is.')
  }
}

export function* parameterFindings({ id, inputSchema }: SearchDocument): Generator<LintFinding> {
  const missing = [...undocumented(inputSchema)]
  if (missing.length === 0) return
  const names = missing.slice(0, 8).join(', ')
  const more = missing.length > 8 ? ` and ${missing.length - 8} more` : ''
  yield finding(
    'parameter-undocumented',
    [id],
    `without a description: ${names}${more}`,
    'Say what each stands for, its unit and an example.',
  )
}

function* undocumented(schema: JsonSchema | undefined): Generator<string> {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return
  for (const name of Object.keys(schema.properties)) {
    const value = ownValue(schema.properties, name)
    if (!isJsonObject(value)) yield name
    else {
      // What a reference points at may well be described; a title, choices or a constant speak for themselves.
      const told = [value.description, value.title].some((text) => typeof text === 'string' && text.trim() !== '')
      if (!told && value.enum === undefined && value.const === undefined && value.$ref === undefined) yield name
    }
  }
}

function wordsOf(text: string): readonly string[] {
  return (text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase())
}
