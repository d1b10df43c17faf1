/**
 * Owns the filter of system calls of every box in the form that container runtimes read: the same rules as elsewhere in this package. A runtime
 * compares an argument once in a rule, and only equality can be masked: "none of these values" becomes the few masks and values that cover all
 * others, so that what lies in the upper half of a register hides nothing. Calls whose names the runtime's library does not know yet are let through by it.
 */
import { type ArgumentTest, defaultSeccompPolicy, type SeccompErrno, type SeccompPolicy } from '../linux/index.ts'

/** Numbers of asm-generic/errno.h. */
const ERRNO: Readonly<Record<SeccompErrno, number>> = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, ESOCKTNOSUPPORT: 94, EAFNOSUPPORT: 97 }

interface Masked {
  readonly argument: number
  readonly mask: bigint
  readonly value: bigint
}

/**
 * A profile as text; numbers go up to 64 bits.
 *
 * @example
 * ```ts
 * JSON.parse(containerSeccomp()).defaultAction // 'SCMP_ACT_ALLOW'
 * ```
 */
export function containerSeccomp(policy: SeccompPolicy = defaultSeccompPolicy()): string {
  const calls = policy.rules.flatMap((rule) =>
    ways(rule.when ?? []).map((tests) => {
      const args = tests.map(
        ({ argument, mask, value }) => `{"index":${argument},"op":"SCMP_CMP_MASKED_EQ","value":${mask},"valueTwo":${value}}`,
      )
      return `{"names":${JSON.stringify(rule.calls)},"action":"SCMP_ACT_ERRNO","errnoRet":${ERRNO[rule.errno]},"args":[${args.join(',')}]}`
    }),
  )
  return `{"defaultAction":"SCMP_ACT_ALLOW","architectures":["SCMP_ARCH_X86_64","SCMP_ARCH_AARCH64"],"syscalls":[${calls.join(',')}]}`
}

/** All must hold: every way of the first with every way of the others. */
function ways(tests: readonly ArgumentTest[]): readonly (readonly Masked[])[] {
  return tests.reduce<readonly (readonly Masked[])[]>(
    (before, test) => before.flatMap((way) => masked(test).map((one) => [...way, one])),
    [[]],
  )
}

function masked({ argument, mask, is, values }: ArgumentTest): readonly Masked[] {
  if (is === 'in') return values.map((value) => ({ argument, mask, value }))
  return others(mask, values).map((one) => ({ argument, ...one }))
}

/** Covers everything under the mask but the values: bit for bit from the highest, whatever has left all the values behind. */
function others(mask: bigint, values: readonly bigint[]): readonly { readonly mask: bigint; readonly value: bigint }[] {
  const found: { readonly mask: bigint; readonly value: bigint }[] = []
  let near: readonly bigint[] = [0n]
  let seen = 0n
  for (let bit = 1n << 63n; bit > 0n; bit >>= 1n) {
    if ((mask & bit) === 0n) continue
    seen |= bit
    const next: bigint[] = []
    for (const value of near.flatMap((prefix) => [prefix, prefix | bit])) {
      if (values.some((kept) => (kept & seen) === value)) next.push(value)
      else found.push({ mask: seen, value })
    }
    near = next
  }
  return found
}
