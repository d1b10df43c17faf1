/**
 * Runs the conformance runner of the Model Context Protocol against our client and prints a table: each scenario, the checks that held,
 * those that did not. Fails when a scenario of the version we promise does not pass; the others are told of.
 *
 * Usage: node --conditions=adjutant-source scripts/mcp-conformance.ts [scenario …]   (default: all scenarios for clients)
 */
import { clientScenarios, runScenario } from '../packages/core/test/fixtures/mcp/conformance.ts'

const PROMISED = '2025-11-25'

const promised = new Set(await clientScenarios(PROMISED))
const named = process.argv.slice(2)
let broken = 0
for (const scenario of named.length === 0 ? await clientScenarios() : named) {
  const { passed, held, failed } = await runScenario(scenario)
  if (!passed && promised.has(scenario)) broken++
  const version = promised.has(scenario) ? PROMISED : 'other'
  process.stdout.write(`${passed ? 'pass' : 'FAIL'}  ${version.padEnd(10)}  ${scenario.padEnd(44)}  ${held} held  ${failed.join(', ')}\n`)
}
process.stdout.write(broken === 0 ? `All scenarios of ${PROMISED} that ran pass.\n` : `${broken} scenarios of ${PROMISED} fail.\n`)
process.exitCode = broken === 0 ? 0 : 1
