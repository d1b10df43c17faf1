/**
 * What every backend of boxes must do, in three parts: functional, limits, attack. What a backend does not claim is not asked of it and is listed
 * as declared-absent; what it claims and does not hold fails.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SandboxBackend, SandboxSpec } from '@adjutant/core/contract'
import { AttackBench, type AttackBenchOptions, type AttackResult, NO_WEAK_BOX } from './attack-bench.ts'
import type { SandboxAttempt } from './attempt.ts'
import { SANDBOX_ATTEMPTS } from './attempts/all.ts'
import { functionalPart } from './functional.ts'
import { limitsPart } from './limits.ts'
import { attackTable } from './table.ts'

export type SandboxPart = 'functional' | 'limits' | 'attack'

export interface SandboxConformanceOptions {
  /** Default: all three. */
  readonly parts?: readonly SandboxPart[]
  /** For every box of the suite, e.g. a mount that the backend needs. Its limits hold over the suite's own. */
  readonly spec?: SandboxSpec
  /** Attempts of your own after the suite's. */
  readonly attempts?: readonly SandboxAttempt[]
  /** Boxes like the backend's own that hold nothing, for attempts that prove themselves in one. Default: a box of the suite's, where bubblewrap is. */
  readonly weakened?: () => SandboxBackend | undefined
  /** Which attempts are made. Default: all. */
  readonly only?: (attempt: SandboxAttempt) => boolean
  /** Milliseconds of one test. Default 60 000. */
  readonly timeoutMs?: number
}

/**
 * Registers the suite with node:test. Call it at the top of a test file.
 *
 * @param open a backend that is disposed at the end; called once a part
 * @example
 * ```ts
 * sandboxConformance('bubblewrap', async () => bubblewrapBackend())
 * ```
 */
export function sandboxConformance(name: string, open: () => Promise<SandboxBackend>, options: SandboxConformanceOptions = {}): void {
  const parts = new Set<SandboxPart>(options.parts ?? ['functional', 'limits', 'attack'])
  const spec = options.spec ?? {}
  const timeout = options.timeoutMs ?? 60_000
  if (parts.has('functional')) functionalPart(name, open, spec, timeout)
  if (parts.has('limits')) limitsPart(name, open, spec, timeout)
  if (parts.has('attack')) {
    const attempts = [...SANDBOX_ATTEMPTS, ...(options.attempts ?? [])]
    attackPart(
      name,
      open,
      { spec, ...(options.weakened === undefined ? {} : { weakened: options.weakened }) },
      timeout,
      attempts.filter(options.only ?? (() => true)),
    )
  }
}

function attackPart(
  name: string,
  open: () => Promise<SandboxBackend>,
  benchOptions: AttackBenchOptions,
  timeout: number,
  attempts: readonly SandboxAttempt[],
): void {
  describe(`${name} holds off attacks`, () => {
    const results: AttackResult[] = []
    let backend: SandboxBackend
    let bench: AttackBench

    before(async () => {
      backend = await open()
      const probe = await backend.probe()
      assert.ok(probe.ok, `${name} does not work here: ${probe.detail}`)
      bench = await AttackBench.open(backend, benchOptions)
    })
    after(async () => {
      await bench?.[Symbol.asyncDispose]()
      await backend?.[Symbol.asyncDispose]()
    })

    for (const attempt of attempts) {
      it(`${attempt.id}: ${attempt.title}`, { timeout }, async (test) => {
        const result = await bench.attack(attempt)
        results.push(result)
        switch (result.outcome) {
          case 'held': {
            const refused = result.unproven !== undefined && typeof attempt.control === 'string' && attempt.mayBeRefused !== true
            const missing = attempt.control === 'weak-box' && result.unproven === NO_WEAK_BOX
            assert.ok(!refused || missing, `the attempt proves nothing: ${result.unproven}`)
            return
          }
          case 'declared-absent':
          case 'no-language':
            return test.skip(`${result.outcome}: ${result.detail}`)
          case 'escaped':
          case 'broken':
            return assert.fail(`${result.outcome}: ${result.detail}`)
          default:
            return result.outcome satisfies never
        }
      })
    }

    it('says what is enforced and what is declared absent', (test) => {
      for (const line of attackTable(backend, results)) test.diagnostic(line)
      assert.equal(results.length, attempts.length)
    })
  })
}
