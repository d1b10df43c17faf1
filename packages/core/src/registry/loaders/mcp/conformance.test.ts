import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientScenarios, runScenario } from '../../../../test/fixtures/mcp/conformance.ts'

const VERSION = '2025-11-25'
const scenarios = await clientScenarios(VERSION)

describe(`the protocol's own conformance runner, ${VERSION}`, { concurrency: 3 }, () => {
  it('has scenarios for clients', () => assert.ok(scenarios.length >= 18))

  for (const scenario of scenarios) {
    it(`passes ${scenario}`, async () => {
      const report = await runScenario(scenario)
      assert.deepEqual([report.passed, report.failed], [true, []])
    })
  }
})
