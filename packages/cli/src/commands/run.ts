/** `adjutant run`: the agent loop in the terminal. The model decides, its calls are carried out, until it answers. */
import { AdjutantError } from '@adjutant/core'
import type { Command } from 'commander'
import type { CliIo } from '../cli-io.ts'
import { stdinChunks } from '../work/input.ts'
import { openConfiguredStore } from '../work/open-configured-store.ts'
import { configOf } from '../work/open-work.ts'
import { runTask } from '../work/run-task.ts'
import { addSharedOptions, positiveInteger, sharedOptions, storeOption as storeOptionOf, usage } from './shared-options.ts'

const HELP = `
SPEC is openai:NAME (Chat Completions), openai-responses:NAME, anthropic:NAME, gemini:NAME, compatible:URL#NAME (Ollama, vLLM,
llama.cpp …) or replay:FILE, a recorded conversation that runs with no key and no network. Where nobody is at a terminal, a replay takes the answers that were recorded with it.

With --store, or a store in the configuration, the session is kept there: it can be paused, killed and carried on (adjutant sessions).
Calls of tools that go on in the background become jobs: the answer names them, the command does them while it runs and waits for them, and the model
goes on with what came of them. Where adjutant work runs on the store, that does them.
With --detach they are left to adjutant work, and the command leaves where a person must decide: see adjutant approvals, then adjutant sessions resume.

Exit: 0 with an answer or left for a person, 1 failed or gave up, 2 wrong usage, 4 stopped because it went round in circles, 130 interrupted.

Example:
  adjutant run "Compare this week with the last and write report.md" --model openai:gpt-5`

/** Of a task on stdin. */
const MAX_TASK_BYTES = 1024 * 1024

export function addRunCommand(program: Command, io: CliIo): void {
  const command = program
    .command('run')
    .description('let a model work on a task: the agent loop in the terminal')
    .argument('<task>', 'what is to be done; - reads it from stdin')
    .option('--model <spec>', 'which model decides (default: the one of the configuration)')
    .option('--system <text>', 'system prompt')
    .option('--max-rounds <n>', 'rounds of calls before the model has to answer (default: 8)', positiveInteger)
    .addOption(storeOptionOf())
    .option('--detach', 'leave when a person must decide, instead of asking here')
  addSharedOptions(command)
    .addHelpText('after', HELP)
    .action(async (task: string, _options, self: Command) => run(io, self, task))
}

async function run(io: CliIo, command: Command, taskWord: string): Promise<void> {
  const shared = sharedOptions(command)
  const { model, system, maxRounds, store: storeOption, detach } = command.opts()
  const config = await configOf(io, shared)
  const task = taskWord === '-' ? await taskFromStdin(io) : taskWord
  if (task.trim() === '') throw usage('the task is empty', 'Say what is to be done: adjutant run "…".')
  const place = typeof storeOption === 'string' ? storeOption : undefined
  const keeps = place !== undefined || detach === true || config.store !== undefined
  await using store = keeps ? await openConfiguredStore(io, config, place) : undefined
  await runTask(io, {
    shared,
    config,
    model: typeof model === 'string' ? model : undefined,
    task,
    system: typeof system === 'string' ? system : config.system,
    maxRounds: typeof maxRounds === 'number' ? maxRounds : config.maxRounds,
    stdinIsData: taskWord === '-',
    ...(store === undefined ? {} : { durable: { store, defers: detach === true } }),
  })
}

async function taskFromStdin(io: CliIo): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdinChunks(io, 'the task')) {
    size += chunk.byteLength
    if (size > MAX_TASK_BYTES)
      throw new AdjutantError('TOO_LARGE', `the task on stdin is larger than ${MAX_TASK_BYTES / 1024} KiB`, {
        hint: 'Put the material into a file of the workspace and name it.',
      })
    parts.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw usage('the task on stdin is not text in UTF-8', 'Give the task as text.')
  }
}
