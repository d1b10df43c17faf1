import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { ArgumentTest, SeccompPolicy } from '../linux/index.ts'
import { containerSeccomp } from './container-seccomp.ts'

/** Numbers beyond 2^53 stay exact. */
function parse(policy: SeccompPolicy): { syscalls: readonly { args: readonly { index: number; value: string; valueTwo: string }[] }[] } {
  return JSON.parse(containerSeccomp(policy).replaceAll(/"(value|valueTwo)":(\d+)/g, '"$1":"$2"'))
}

describe('the filter of containers', () => {
  it('refuses the same arguments as the rule that it is made of', () => {
    const mask = fc.constantFrom(0xffff_ffffn, 0xfn, 0x7e02_0000n, 0xffff_ffff_fffa_f0ffn, 0x10000000n)
    const argument = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n })
    const test = mask.chain((bits) =>
      fc.record({
        argument: fc.constantFrom(0, 1, 2),
        mask: fc.constant(bits),
        is: fc.constantFrom('in' as const, 'not-in' as const),
        values: fc.array(
          fc.oneof(argument, fc.bigInt({ min: 0n, max: 60n })).map((value) => value & bits),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(test, { maxLength: 2, selector: (one) => one.argument }),
        fc.tuple(argument, argument, argument),
        fc.nat(10),
        (when: readonly ArgumentTest[], given, pick) => {
          const rules = parse({ rules: [{ calls: ['socket'], errno: 'EPERM', when, reason: 'a test' }] }).syscalls
          // Also arguments that are near the values.
          const args = given.map((value, index) => {
            const near = when.find((one) => one.argument === index)
            return near === undefined || pick % 2 === 0 ? value : (value & ~near.mask) | (near.values[pick % near.values.length] ?? 0n)
          })
          const meant = when.every(
            ({ argument: index, mask: bits, is, values }) => values.includes((args[index] ?? 0n) & bits) === (is === 'in'),
          )
          const refused = rules.some((rule) =>
            rule.args.every(({ index, value, valueTwo }) => ((args[index] ?? 0n) & BigInt(value)) === BigInt(valueTwo)),
          )
          assert.equal(refused, meant)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is a profile that can be read, with each argument once in a rule', () => {
    const profile = JSON.parse(containerSeccomp())
    assert.equal(profile.defaultAction, 'SCMP_ACT_ALLOW')
    assert.ok(containerSeccomp().length < 400_000)
    for (const { args, names, action } of profile.syscalls) {
      assert.equal(action, 'SCMP_ACT_ERRNO')
      assert.ok(names.length > 0)
      const indexes = args.map(({ index }: { readonly index: number }) => index)
      assert.equal(new Set(indexes).size, indexes.length)
    }
  })
})
