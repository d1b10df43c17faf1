import { type Attributes, type Counter, type Histogram, type Meter, metrics } from '@opentelemetry/api'
import type { SessionEvent } from '../../contract/events.ts'
import type { CallId } from '../../contract/ids.ts'
import type { SessionFollower, SessionObserver } from '../../contract/observe.ts'
import type { ToolResult } from '../../contract/result.ts'
import * as names from '../attribute-names.ts'
import { modelNamesOf } from '../model-name.ts'
import { ToolNames } from '../tool-names.ts'
import { isArgumentError } from './tool-statistics.ts'

export interface MetricsOptions {
  /** Default: that of the global provider, which does nothing until the host sets one up. */
  readonly meter?: Meter
  /** The model's name, e.g. `openai:gpt-5`: events do not carry it. */
  readonly model?: string
  readonly agent?: string
}

/**
 * Records what a session tells on OpenTelemetry instruments: durations, outcomes and codes of calls for each tool, wrong arguments, clipped and
 * cached results, waiting times, retries, loops, tokens. Attributes have few values: names of tools that exist, codes, outcomes, never an id.
 * Knows the API only: without an SDK in the host nothing is recorded.
 *
 * @example
 * ```ts
 * const observer = metricsObserver({ model: 'openai:gpt-5' })
 * ```
 */
export function metricsObserver(options: MetricsOptions = {}): SessionObserver {
  const recorder = new Recorder(options)
  return { follow: () => new MetricsFollower(recorder) }
}

class MetricsFollower implements SessionFollower {
  readonly #recorder: Recorder
  readonly #queued = new Map<CallId, number>()
  readonly #asked = new Map<string, number>()
  #taskAt: number | undefined

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  event(event: SessionEvent): void {
    const recorder = this.#recorder
    switch (event.type) {
      case 'judged':
      case 'refused':
        recorder.tools.learn(event)
        return
      case 'call-state':
        this.#moved(event)
        return
      case 'results':
        for (const result of event.results) recorder.result(result)
        return
      case 'approval-asked':
        this.#asked.set(event.request.id, event.at)
        return
      case 'approval-answered': {
        const since = this.#asked.get(event.request.id)
        if (since === undefined) return
        this.#asked.delete(event.request.id)
        const answer = { [names.APPROVAL_ANSWER]: event.decision.type }
        recorder.approval.record((event.at - since) / 1_000, { ...recorder.tool(event.request.call.call.name), ...answer })
        return
      }
      case 'retry':
        recorder.retries.add(1, { ...recorder.tool(event.name), [names.ERROR_TYPE]: event.code })
        return
      case 'loop':
        recorder.loops.add(1, { ...recorder.tool(event.name), [names.LOOP_STEP]: event.step })
        return
      case 'metered':
        recorder.units.add(event.units, { ...recorder.tool(event.name), [names.UNIT]: event.unit })
        return
      case 'model':
        if (event.event.type !== 'usage') return
        recorder.inputTokens.add(event.event.usage.inputTokens, recorder.tokens)
        recorder.outputTokens.add(event.event.usage.outputTokens, recorder.tokens)
        return
      case 'task':
        this.#taskAt = event.at
        return
      case 'ended':
        if (this.#taskAt !== undefined) {
          recorder.agentDuration.record((event.at - this.#taskAt) / 1_000, { ...recorder.agent, [names.END_REASON]: event.reason })
        }
        this.#taskAt = undefined
        // What was queued or asked for an answer that broke off has no end.
        this.#queued.clear()
        this.#asked.clear()
        return
      default:
        return
    }
  }

  #moved({ id, name, state, at }: Extract<SessionEvent, { type: 'call-state' }>): void {
    if (state.status === 'queued') this.#queued.set(id, at)
    else if (state.status === 'running') {
      const since = this.#queued.get(id)
      if (since === undefined) return
      this.#queued.delete(id)
      this.#recorder.queue.record((at - since) / 1_000, this.#recorder.tool(name))
    }
  }
}

/** The instruments, and the attributes that they share. */
class Recorder {
  readonly tools = new ToolNames()
  readonly agent: Attributes
  readonly tokens: Attributes
  readonly duration: Histogram
  readonly agentDuration: Histogram
  readonly queue: Histogram
  readonly approval: Histogram
  readonly calls: Counter
  readonly argumentErrors: Counter
  readonly clipped: Counter
  readonly cacheHits: Counter
  readonly retries: Counter
  readonly loops: Counter
  readonly units: Counter
  readonly inputTokens: Counter
  readonly outputTokens: Counter

  constructor(options: MetricsOptions) {
    const meter = options.meter ?? metrics.getMeter(names.SCOPE)
    const seconds = (name: string, description: string, buckets: readonly number[]): Histogram =>
      meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: [...buckets] } })
    const counter = (name: string, unit: string, description: string): Counter => meter.createCounter(name, { unit, description })
    this.duration = seconds(names.METRIC_TOOL_DURATION, 'Duration of one tool execution, all attempts together.', names.TOOL_BUCKETS)
    this.agentDuration = seconds(names.METRIC_AGENT_DURATION, 'Duration of one task.', names.AGENT_BUCKETS)
    this.queue = seconds(names.METRIC_QUEUE_DURATION, 'Wait of an admitted call for its turn.', names.TOOL_BUCKETS)
    this.approval = seconds(names.METRIC_APPROVAL_DURATION, 'Time that a person took to answer.', names.APPROVAL_BUCKETS)
    this.calls = counter(names.METRIC_CALLS, '{call}', 'Results, also of calls that never ran.')
    this.argumentErrors = counter(names.METRIC_ARGUMENT_ERRORS, '{call}', 'Calls whose arguments were wrong.')
    this.clipped = counter(names.METRIC_CLIPPED, '{call}', 'Results of which the model got a part.')
    this.cacheHits = counter(names.METRIC_CACHE_HITS, '{call}', 'Calls that were answered with an earlier result.')
    this.retries = counter(names.METRIC_RETRIES, '{attempt}', 'Further attempts of calls.')
    this.loops = counter(names.METRIC_LOOPS, '{event}', 'How often the loop guard spoke.')
    this.units = counter(names.METRIC_UNITS, '{unit}', 'Metered units that calls used.')
    this.inputTokens = counter(names.METRIC_INPUT_TOKENS, '{token}', 'Input tokens used.')
    this.outputTokens = counter(names.METRIC_OUTPUT_TOKENS, '{token}', 'Output tokens used.')
    this.agent = options.agent === undefined ? {} : { [names.AGENT_NAME]: options.agent }
    const model = options.model === undefined ? undefined : modelNamesOf(options.model)
    this.tokens = {
      [names.OPERATION_NAME]: names.CHAT,
      [names.PROVIDER_NAME]: model?.provider ?? 'unknown',
      [names.TOKEN_MODALITY]: 'unknown',
      ...(model === undefined ? {} : { [names.REQUEST_MODEL]: model.model }),
    }
  }

  tool(called: string): Attributes {
    return { ...this.agent, [names.TOOL_NAME]: this.tools.of(called) }
  }

  result(result: ToolResult): void {
    const { outcome, code, startedAt, endedAt } = result
    const tool = this.tool(result.name)
    const ended: Attributes = outcome === 'ok' ? tool : { ...tool, [names.ERROR_TYPE]: code ?? '_OTHER' }
    this.calls.add(1, { ...ended, [names.OUTCOME]: outcome })
    if (startedAt !== undefined && endedAt !== undefined) this.duration.record((endedAt - startedAt) / 1_000, ended)
    if (isArgumentError(code)) this.argumentErrors.add(1, tool)
    if (result.spill !== undefined) this.clipped.add(1, tool)
    if (result.cached === true) this.cacheHits.add(1, tool)
  }
}
