/** Runs of agents that others recorded: replayed call by call, none of them is taken for a loop. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isJsonObject, type JsonObject } from '../../contract/json.ts'
import type { Effect } from '../../contract/tool.ts'
import { failed, ok, run, type Step, tool } from './fixtures/steps.ts'
import { LoopGuard } from './loop-guard.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('loop guard: ADJUTANT_MATERIAL is not set; recorded runs from outside were not tried\n')

interface Recorded {
  readonly name: string
  readonly input: JsonObject
  readonly text: string
  readonly fails: boolean
}

const FAILURE = /\berror\b|not found|no such|usage:|traceback|exit code [1-9]|failed/i

/** Members of an unknown object. */
function get(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const key of path) inner = isJsonObject(inner) ? inner[key] : undefined
  return inner
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function recorded(name: string, input: JsonObject, text: unknown): Recorded {
  const said = String(text)
  return { name, input, text: said, fails: FAILURE.test(said.slice(0, 400)) }
}

/** `{trajectory: [{action, observation}]}`, or `{history}` with calls and messages of the role `tool`. */
function fromActions(document: unknown): Recorded[] {
  const steps = list(get(document, 'trajectory')).map((step) => {
    const action = String(get(step, 'action'))
    return recorded(action.trim().split(/\s/)[0] ?? '', { command: action }, get(step, 'observation'))
  })
  if (steps.length > 0) return steps
  const calls: Recorded[] = []
  let asked: readonly unknown[] = []
  for (const message of list(get(document, 'history'))) {
    if (get(message, 'role') === 'assistant') asked = list(get(message, 'tool_calls'))
    if (get(message, 'role') !== 'tool') continue
    const input: unknown = JSON.parse(String(get(asked[0], 'function', 'arguments')))
    assert.ok(isJsonObject(input))
    calls.push(recorded(String(get(asked[0], 'function', 'name')), input, get(message, 'content')))
  }
  return calls
}

/** `{history: [event]}`: an event with `observation` names the event with `action` that it came of. */
function fromEvents(document: unknown): Recorded[] {
  const actions = new Map<unknown, unknown>()
  const calls: Recorded[] = []
  for (const event of list(get(document, 'history'))) {
    if (get(event, 'action') !== undefined) actions.set(get(event, 'id'), event)
    const action = actions.get(get(event, 'cause'))
    const input = get(action, 'args')
    if (get(event, 'observation') === undefined || !isJsonObject(input)) continue
    // What the model thought is no argument of the call.
    const { thought: _thought, ...args } = input
    calls.push(recorded(String(get(action, 'action')), args, get(event, 'content')))
  }
  return calls
}

function* runs(folder: string): Generator<readonly [string, readonly Recorded[]]> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.name.endsWith('.traj')) yield [file, fromActions(JSON.parse(readFileSync(file, 'utf8')))]
    if (!entry.name.endsWith('output.jsonl')) continue
    for (const [at, line] of readFileSync(file, 'utf8').trim().split('\n').entries())
      yield [`${file}:${at + 1}`, fromEvents(JSON.parse(line))]
  }
}

describe('recorded runs', { skip: material === undefined }, () => {
  it('none trips, whatever effect its tools are taken to have and whatever counts as a failure', () => {
    let count = 0
    let calls = 0
    for (const folder of ['swe-agent-trajectories', 'openhands']) {
      for (const [place, steps] of runs(join(material ?? '', 'logs', folder))) {
        assert.ok(steps.length > 2, place)
        count++
        calls += steps.length
        for (const effect of ['read', 'write', 'dangerous'] satisfies Effect[]) {
          for (const one of [true, false]) {
            for (const byText of [true, false]) {
              const made = steps.map(
                ({ name, input, text, fails }): Step => ({
                  tool: tool(one ? 'run' : name, effect),
                  input,
                  outcome: fails && byText ? failed(text) : ok(text),
                }),
              )
              assert.equal(run(new LoopGuard(), made), `pass ${steps.length}`, `${place} as ${effect}`)
            }
          }
        }
      }
    }
    assert.ok(count >= 14 && calls > 200, `${count} runs, ${calls} calls`)
  })
})
