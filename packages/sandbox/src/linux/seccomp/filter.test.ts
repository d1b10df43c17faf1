import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { interpret } from './bpf-interpreter.test-helper.ts'
import { seccompFilter } from './filter.ts'
import { type ArgumentTest, defaultSeccompPolicy, ERRNO, type SeccompPolicy } from './policy.ts'
import { type SeccompArch, seccompArch, syscallNumbers } from './syscall-table.ts'

const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
const ARCHES = ['x64', 'arm64'] as const satisfies readonly SeccompArch[]
const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const fails = (errno: number): number => (0x0005_0000 | errno) >>> 0
const POLICIES = [defaultSeccompPolicy(), defaultSeccompPolicy({ sharedMemory: false })]

/** What the policy says, worked out from its words alone. */
function expected(policy: SeccompPolicy, name: string, values: readonly bigint[]): number {
  const holds = (test: ArgumentTest): boolean => test.values.includes((values[test.argument] ?? 0n) & test.mask) === (test.is === 'in')
  const rule = policy.rules.find(({ calls, when }) => calls.includes(name) && (when ?? []).every(holds))
  return rule === undefined ? ALLOW : fails(ERRNO[rule.errno])
}

/** Arguments near what the rules ask for, and any others. */
const argument = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    2n,
    6n,
    10n,
    16n,
    17n,
    40n,
    58n,
    0x40n,
    0x241n,
    0o4755n,
    0o755n,
    0x5412n,
    0x541cn,
    0x1000_0000n,
    0x20000n,
    0xffff_ffffn,
  ),
  fc.constantFrom(1n << 32n, (1n << 32n) + 0x5412n, (7n << 40n) + 40n, 1n << 63n),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
)

describe('seccompFilter', () => {
  for (const arch of ARCHES) {
    const names = [...syscallNumbers(arch)]

    it(`gives every call of ${arch} its verdict, with any arguments`, () => {
      for (const policy of POLICIES) {
        const filter = seccompFilter(arch, policy)
        const one = (name: string, number: number, values: readonly bigint[]): void =>
          assert.equal(
            interpret(filter, { number, arch: AUDIT[arch], arguments: values }).value,
            expected(policy, name, values),
            `${name}(${values.join(', ')})`,
          )
        for (const [name, number] of names) one(name, number, [])
        const conditional = names.filter(([name]) => policy.rules.some(({ calls, when }) => when !== undefined && calls.includes(name)))
        assert.ok(conditional.length >= 8)
        fc.assert(
          fc.property(fc.array(argument, { minLength: 6, maxLength: 6 }), (values) => {
            for (const [name, number] of conditional) one(name, number, values)
          }),
          { numRuns: 300 },
        )
      }
    })

    it(`lets no number through that ${arch} has no call for`, () => {
      const filter = seccompFilter(arch)
      const known = new Set(names.map(([, number]) => number))
      const verdict = (number: number): number => interpret(filter, { number, arch: AUDIT[arch] }).value
      for (let number = 0; number < 2000; number++) if (!known.has(number)) assert.equal(verdict(number), fails(ERRNO.ENOSYS), `${number}`)
      assert.equal(verdict(-1), fails(ERRNO.ENOSYS))
      for (const number of [0, 59, 520, 0x3fff_ffff])
        assert.equal(verdict(0x4000_0000 + number), arch === 'x64' ? KILL : fails(ERRNO.ENOSYS))
    })

    it(`kills what is not ${arch}`, () => {
      fc.assert(
        fc.property(fc.nat({ max: 600 }), fc.integer(), (number, other) => {
          fc.pre(other >>> 0 !== AUDIT[arch])
          assert.equal(interpret(seccompFilter(arch), { number, arch: other >>> 0 }).value, KILL)
        }),
        { numRuns: 30 },
      )
    })

    it(`is short, and decides without arguments what does not hang on them (${arch})`, () => {
      for (const policy of POLICIES) {
        const filter = seccompFilter(arch, policy)
        assert.ok(filter.byteLength / 8 <= 400, `${filter.byteLength / 8} instructions`)
        for (const [name, number] of names) {
          const { instructions, sawArguments } = interpret(filter, { number, arch: AUDIT[arch] })
          assert.equal(sawArguments, policy.rules.find(({ calls }) => calls.includes(name))?.when !== undefined, name)
          if (!sawArguments) assert.ok(instructions <= 16, `${name}: ${instructions}`)
        }
      }
    })
  }

  it('sees an argument as the kernel does: what is above 32 bits hides nothing', () => {
    const filter = seccompFilter('x64')
    const call = (name: string, ...values: bigint[]): number =>
      interpret(filter, { number: syscallNumbers('x64').get(name) ?? -1, arch: AUDIT.x64, arguments: values }).value
    const garbage = 0xdead_beefn << 32n
    assert.equal(call('ioctl', 0n, garbage | 0x5412n), fails(ERRNO.EPERM))
    assert.equal(call('socket', garbage | 40n, 1n, 0n), fails(ERRNO.EAFNOSUPPORT))
    assert.equal(call('socket', garbage | 2n, 1n, 0n), ALLOW)
    assert.equal(call('clone', garbage | 0x1000_0000n), fails(ERRNO.EPERM))
    assert.equal(call('unshare', 0x200n), ALLOW)
    assert.equal(call('unshare', 1n << 40n), fails(ERRNO.EPERM))
  })

  it('refuses policies that cannot be meant, and says which rule', () => {
    const rule = { calls: ['read'], errno: 'EPERM', reason: 'test' } as const
    const test = { argument: 0, mask: 1n, is: 'in', values: [1n] } as const
    const broken: readonly (readonly [RegExp, SeccompPolicy['rules'][number]])[] = [
      [/rule 2 .*names no call/, { ...rule, calls: [] }],
      [/no kernel has a call "raed"/, { ...rule, calls: ['raed'] }],
      [/arguments 0 to 5, not 6/, { ...rule, when: [{ ...test, argument: 6 }] }],
      [/mask must have/, { ...rule, when: [{ ...test, mask: 0n }] }],
      [/mask must have/, { ...rule, when: [{ ...test, mask: 1n << 64n }] }],
      [/needs a value/, { ...rule, when: [{ ...test, values: [] }] }],
      [/beyond its mask/, { ...rule, when: [{ ...test, values: [2n] }] }],
    ]
    for (const [message, bad] of broken) {
      assert.throws(
        () => seccompFilter('x64', { rules: [rule, bad] }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CONFIG_INVALID' && message.test(error.message),
      )
    }
    const many = Array.from({ length: 1000 }, (_, index) => ({ ...rule, when: [{ ...test, mask: 0xffffn, values: [BigInt(index), 2n] }] }))
    assert.throws(() => seccompFilter('x64', { rules: many }), /the kernel takes 4096/)
  })
})

describe('syscallNumbers', () => {
  it('has the numbers of the headers of this machine', (context) => {
    const header = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'
    if (!existsSync(header)) return context.skip(`${header} is not here`)
    const pairs = [...readFileSync(header, 'utf8').matchAll(/^#define __NR_(\w+) (\d+)$/gm)]
    assert.ok(pairs.length > 300)
    for (const [, name = '', number] of pairs) assert.equal(syscallNumbers('x64').get(name), Number(number), name)
  })

  it('has the numbers of the table for arm64, where its header is', (context) => {
    const header = '/usr/include/asm-generic/unistd.h'
    if (!existsSync(header)) return context.skip(`${header} is not here`)
    const pairs = [...readFileSync(header, 'utf8').matchAll(/^#define __NR(3264)?_(\w+) (\d+)$/gm)]
    let compared = 0
    for (const [, , generic = '', number] of pairs) {
      // Of two names of one number the table has the one for 64 bits; calls for 32 bits only, and of architectures of their own, are not there.
      const name = generic === 'fstatat' ? 'newfstatat' : generic
      const ours = syscallNumbers('arm64').get(name)
      if (ours === undefined) assert.match(name, /^(arch_specific_syscall|syscalls|sync_file_range2|\w+64|\w+_time64)$/, name)
      else if (Number(number) < 260 || Number(number) >= 424 || ours < 424) {
        assert.equal(ours, Number(number), name)
        compared++
      }
    }
    assert.ok(compared > 280, `${compared}`)
  })

  it('knows its architectures only', () => {
    assert.equal(seccompArch('x64'), 'x64')
    assert.equal(seccompArch('arm64'), 'arm64')
    assert.equal(seccompArch('riscv64'), undefined)
  })
})
