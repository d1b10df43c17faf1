/** `adjutant decode`: what a model asked for, from the raw bytes on stdin, and nothing is carried out. */
import { AdjutantError, createDecoder, type DecodeEvent, DIALECTS, type Dialect, type FinishReason, randomIds } from '@adjutant/core'
import { type Command, Option } from 'commander'
import { type CliIo, write } from '../cli-io.ts'
import { DecodeLines } from '../work/decode-lines.ts'
import { stdinChunks } from '../work/input.ts'

const HELP = `
Reads the raw bytes of one answer of a model: a stream of server-sent events, JSON lines, one JSON body, or text.
  openai-chat          Chat Completions, and the servers that are compatible with it
  openai-responses     the Responses API
  anthropic            the Messages API
  gemini               generateContent: server-sent events, a JSON array, one body
  gemini-interactions  the Interactions API
  bedrock              Converse: its binary event stream, JSON lines, one body
  ollama               /api/chat and /api/generate of Ollama
  cohere               version 2 of the chat API
  tagged-text          calls written as text: <tool_use>, <tool_call>, and what open models write
  decision             {"action":"call_tool|ask_user|answer|give_up", …}
  plan                 {"plan":[{"id":…,"tool":…,"params":{…}}, …]}
  plan                 {"plan":[{"id":…,"tool":…,"params":{…}}, …]}
  auto                 finds out which of these it is (default)
With --json: one line for each event, as soon as it is certain (text, reasoning, call-start, call,
provider-block, plan, problem, usage, end).
A call whose arguments are no JSON object is a problem line with its index, id, name and raw text.

Exit: 0 decoded to its end, 1 empty, cut off or undecodable, 2 wrong usage.

Example:
  curl -sN https://api.example.com/v1/chat/completions -d @request.json | adjutant decode --dialect openai-chat --json`

export function addDecodeCommand(program: Command, io: CliIo): void {
  program
    .command('decode')
    .description('decode a model answer read from stdin, without carrying anything out')
    .addOption(new Option('--dialect <name>', `how the answer is written: auto, ${DIALECTS.join(', ')}`).default('auto'))
    .option('--json', 'print JSON lines on stdout')
    .addHelpText('after', HELP)
    .action(async (_options, self: Command) => {
      const { dialect, json } = self.opts()
      await decode(io, String(dialect), json === true)
    })
}

async function decode(io: CliIo, dialect: string, json: boolean): Promise<void> {
  const lines = new DecodeLines(json)
  const outcome = new Outcome()
  let out = ''
  const decoder = createDecoder(
    knownOrRefused(dialect),
    (event) => {
      outcome.see(event)
      out += lines.of(event)
    },
    { ids: randomIds },
  )
  const flush = async (): Promise<void> => {
    const ready = out
    out = ''
    if (ready !== '') await write(io.stdout, ready)
  }
  for await (const chunk of stdinChunks(io, 'a model answer')) {
    decoder.push(chunk)
    await flush()
  }
  decoder.end()
  await flush()
  if (!outcome.complete) io.exit(1)
}

/** @throws AdjutantError UNKNOWN_DIALECT, with the list */
function knownOrRefused(name: string): Dialect | 'auto' {
  const known = DIALECTS.find((dialect) => dialect === name)
  if (known !== undefined || name === 'auto') return known ?? 'auto'
  throw new AdjutantError('UNKNOWN_DIALECT', `there is no dialect ${JSON.stringify(name)}`, {
    hint: `Use one of auto, ${DIALECTS.join(', ')}.`,
  })
}

/** Whether the answer was read to an end of its own. */
class Outcome {
  #finish: FinishReason | undefined
  #cut = false

  see(event: DecodeEvent): void {
    if (event.type === 'end') this.#finish = event.finish
    else if (event.type === 'problem' && event.code === 'STREAM_BROKEN') this.#cut = true
  }

  get complete(): boolean {
    return !this.#cut && this.#finish !== undefined && this.#finish !== 'error'
  }
}
