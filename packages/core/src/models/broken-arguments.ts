/**
 * Owns what goes back for arguments that were no JSON object. They never go back raw: OpenAI keeps them as text, but most
 * compatible servers parse the text again and answer 500 one turn later, and Anthropic wants an object. An empty object would be
 * accepted everywhere but hide from the model what it wrote, while the problem report speaks of it; so the text goes back as a
 * string inside a valid object, under a name that no tool has as a parameter. No provider validates the arguments of past calls
 * against the tool's schema.
 */
import type { CallArguments } from '../contract/call.ts'
import type { JsonObject } from '../contract/json.ts'

const KEPT = 2_000

/** The arguments of a past call as a JSON object that every provider accepts. */
export function sendableArguments(args: CallArguments): JsonObject {
  if (args.ok) return args.value
  return {
    _not_json:
      args.raw.length > KEPT ? `${args.raw.slice(0, KEPT).toWellFormed()}… (${args.raw.length} characters)` : args.raw.toWellFormed(),
  }
}
