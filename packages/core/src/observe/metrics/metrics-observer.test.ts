import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import type { SessionEvent } from '../../contract/events.ts'
import { callId } from '../../contract/ids.ts'
import { TOOL_BUCKETS } from '../attribute-names.ts'
import { EXAMPLE_SESSION, exampleEvents, judged, resultOf } from '../fixtures/example-events.ts'
import { type MetricsOptions, metricsObserver } from './metrics-observer.ts'

interface Point {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly value: unknown
}

async function measured(events: readonly SessionEvent[], options: MetricsOptions = {}): Promise<ReadonlyMap<string, readonly Point[]>> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30, exportTimeoutMillis: 10_000 })
  const provider = new MeterProvider({ readers: [reader] })
  const follower = metricsObserver({ meter: provider.getMeter('test'), ...options }).follow(EXAMPLE_SESSION)
  for (const event of events) follower.event(event)
  await provider.forceFlush()
  const found = new Map<string, readonly Point[]>()
  for (const resource of exporter.getMetrics()) {
    for (const scope of resource.scopeMetrics) {
      for (const metric of scope.metrics) {
        found.set(
          metric.descriptor.name,
          metric.dataPoints.map(({ attributes, value }): Point => ({ attributes, value })),
        )
      }
    }
  }
  await provider.shutdown()
  return found
}

const spill = { id: 'r1', handle: 'spill_x', path: '/r1', bytes: 1, lines: 1 }

describe('metrics', () => {
  it('records durations, outcomes and codes for each tool', async () => {
    const found = await measured([
      judged(),
      {
        type: 'results',
        results: [
          resultOf({ startedAt: 0, endedAt: 30, spill }),
          resultOf({ startedAt: 0, endedAt: 30, cached: true }),
          resultOf({ startedAt: 0, endedAt: 5_000, outcome: 'failed', isError: true, code: 'TIMEOUT' }),
          resultOf({ outcome: 'not-run', isError: true, code: 'INVALID_ARGUMENTS' }),
        ],
        at: 1,
      },
    ])
    const read = { 'gen_ai.tool.name': 'read_file' }
    assert.deepEqual(found.get('adjutant.tool.calls'), [
      { attributes: { ...read, 'adjutant.call.outcome': 'ok' }, value: 2 },
      { attributes: { ...read, 'error.type': 'TIMEOUT', 'adjutant.call.outcome': 'failed' }, value: 1 },
      { attributes: { ...read, 'error.type': 'INVALID_ARGUMENTS', 'adjutant.call.outcome': 'not-run' }, value: 1 },
    ])
    const [ok, failed, ...more] = found.get('gen_ai.execute_tool.duration') ?? []
    assert.equal(more.length, 0)
    assert.deepEqual([ok?.attributes, failed?.attributes], [read, { ...read, 'error.type': 'TIMEOUT' }])
    assert.match(JSON.stringify(ok?.value), /"sum":0\.06,"buckets":\{"boundaries":\[0\.01,0\.02,0\.04,/)
    assert.equal(TOOL_BUCKETS.length, 14)
    for (const name of ['adjutant.tool.argument_errors', 'adjutant.tool.clipped', 'adjutant.tool.cache_hits']) {
      assert.deepEqual(found.get(name), [{ attributes: read, value: 1 }])
    }
  })

  it('records waiting times, retries, loops, units, tokens and tasks', async () => {
    const id = callId('call_1')
    const found = await measured(
      [
        ...exampleEvents(),
        { type: 'call-state', id, name: 'read_file', state: { status: 'queued' }, at: 70_000 },
        { type: 'call-state', id, name: 'read_file', state: { status: 'running', attempt: 1 }, at: 70_500 },
        { type: 'retry', id, name: 'read_file', attempt: 2, delayMs: 100, code: 'TIMEOUT', at: 70_600 },
        { type: 'metered', id, name: 'read_file', units: 3, unit: 'query', microPrice: 10, at: 70_700 },
        { type: 'model', event: { type: 'usage', usage: { inputTokens: 100, outputTokens: 7 } }, at: 70_800 },
        { type: 'model', event: { type: 'usage', usage: { inputTokens: 50, outputTokens: 3 } }, at: 70_900 },
      ],
      { model: 'gemini:gemini-3-pro', agent: 'desk' },
    )
    const sums = (name: string): unknown => found.get(name)?.map(({ attributes, value }) => [attributes, value])
    const tokens = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.token.modality': 'unknown',
      'gen_ai.request.model': 'gemini-3-pro',
    }
    const read = { 'gen_ai.agent.name': 'desk', 'gen_ai.tool.name': 'read_file' }
    assert.deepEqual(sums('gen_ai.client.inference.usage.input_tokens'), [[tokens, 150]])
    assert.deepEqual(sums('gen_ai.client.inference.usage.output_tokens'), [[tokens, 10]])
    assert.deepEqual(sums('adjutant.tool.retries'), [[{ ...read, 'error.type': 'TIMEOUT' }, 1]])
    assert.deepEqual(sums('adjutant.tool.units'), [[{ ...read, 'adjutant.unit': 'query' }, 3]])
    assert.deepEqual(sums('adjutant.loops'), [[{ ...read, 'adjutant.loop.step': 'warn' }, 1]])
    const histograms = (name: string): unknown => found.get(name)?.map(({ value }) => JSON.stringify(value).match(/"sum":[\d.]+/)?.[0])
    assert.deepEqual(histograms('adjutant.tool.queue.duration'), ['"sum":0.5'])
    assert.deepEqual(histograms('adjutant.approval.duration'), ['"sum":60'])
    assert.deepEqual(histograms('gen_ai.invoke_agent.duration'), ['"sum":60.5'])
  })

  it('makes no new row for a name that a model made up, nor for an id', async () => {
    const results = Array.from({ length: 500 }, (_, at) =>
      resultOf({ id: `call_${at}`, name: `made_up_${at}`, outcome: 'not-run', isError: true, code: 'UNKNOWN_TOOL' }),
    )
    const found = await measured([{ type: 'results', results, at: 0 }])
    assert.deepEqual(found.get('adjutant.tool.calls'), [
      {
        attributes: { 'gen_ai.tool.name': 'unknown', 'error.type': 'UNKNOWN_TOOL', 'adjutant.call.outcome': 'not-run' },
        value: 500,
      },
    ])
  })

  it('does nothing, and does not fail, where the host has no SDK', () => {
    const follower = metricsObserver().follow(EXAMPLE_SESSION)
    for (const event of exampleEvents()) follower.event(event)
  })
})
