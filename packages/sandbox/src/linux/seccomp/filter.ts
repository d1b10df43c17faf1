/**
 * Owns the way from a policy to a filter that the kernel runs before each system call. The calls are found by halving their numbers, so a
 * call costs some ten instructions; calls that are allowed or refused whatever their arguments depend on nothing but the number, which the
 * kernel works out once and then answers without running the filter.
 * Refuses policies with names that no kernel has, arguments that no call has, and values that their mask can never give.
 */
import { AdjutantError } from '@adjutant/core/contract'
import { type ArgumentTest, defaultSeccompPolicy, ERRNO, type SeccompPolicy, type SeccompRule } from './policy.ts'
import { type Label, Program } from './program.ts'
import { type SeccompArch, syscallNumbers } from './syscall-table.ts'

// linux/seccomp.h
const RETURN_KILL = 0x8000_0000
const RETURN_ERRNO = 0x0005_0000
const RETURN_ALLOW = 0x7fff_0000
const DATA = { number: 0, arch: 4, arguments: 16 } as const
// linux/audit.h
const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const satisfies Readonly<Record<SeccompArch, number>>
/** Numbers with this bit are calls of x32; from twice that on they are no calls at all, and -1 is one that a tracer takes back. */
const X32_BIT = 0x4000_0000
const LOW = 0xffff_ffffn

type Leaf = 'allow' | 'unknown' | 'kill' | { readonly rules: readonly SeccompRule[]; readonly key: string }

/** The calls from `first` to the next one's `first` share one leaf. */
interface Range {
  readonly first: number
  readonly leaf: Leaf
}

/**
 * The filter as bytes: what `bwrap --seccomp FD` and `seccomp(2)` take. A call of another architecture and, on x64, of x32 kills the
 * process. Calls that are in no table of {@link syscallNumbers} fail with ENOSYS.
 *
 * @throws AdjutantError CONFIG_INVALID when the policy cannot be meant; INTERNAL when it makes more than 4096 instructions
 * @example
 * ```ts
 * await writeFile('box.bpf', seccompFilter('x64'))
 * ```
 */
export function seccompFilter(arch: SeccompArch, policy: SeccompPolicy = defaultSeccompPolicy()): Uint8Array {
  for (const [index, rule] of policy.rules.entries()) checkRule(rule, index)
  const program = new Program()
  const rightArch = program.label()
  const wrongArch = program.label()
  program.load(DATA.arch)
  program.jump('equal', AUDIT_ARCH[arch], rightArch, wrongArch)
  program.place(wrongArch)
  program.return(RETURN_KILL)
  program.place(rightArch)
  program.load(DATA.number)

  const leaves = new Map<string, { readonly label: Label; readonly leaf: Leaf }>()
  const labelOf = (leaf: Leaf): Label => {
    const key = typeof leaf === 'string' ? leaf : leaf.key
    const known = leaves.get(key)
    if (known !== undefined) return known.label
    const label = program.label()
    leaves.set(key, { label, leaf })
    return label
  }
  halve(program, rangesOf(arch, policy), labelOf)
  for (const { label, leaf } of leaves.values()) {
    program.place(label)
    emitLeaf(program, leaf)
  }
  return program.assemble()
}

/** All numbers, as few ranges as possible, the first from 0. */
function rangesOf(arch: SeccompArch, policy: SeccompPolicy): readonly Range[] {
  const leaves: (readonly [number, Leaf])[] = []
  for (const [name, number] of syscallNumbers(arch)) {
    const rules = policy.rules.filter((rule) => rule.calls.includes(name))
    const key = rules.map((rule) => policy.rules.indexOf(rule)).join(',')
    leaves.push([number, rules.length === 0 ? 'allow' : { rules, key }])
  }
  leaves.sort(([a], [b]) => a - b)
  const ranges: Range[] = []
  const add = (first: number, leaf: Leaf): void => {
    const last = ranges.at(-1)
    if (last === undefined || !same(last.leaf, leaf)) ranges.push({ first, leaf })
  }
  let next = 0
  for (const [number, leaf] of leaves) {
    if (number > next) add(next, 'unknown')
    add(number, leaf)
    next = number + 1
  }
  add(next, 'unknown')
  if (arch === 'x64') {
    add(X32_BIT, 'kill')
    add(X32_BIT * 2, 'unknown')
  }
  return ranges
}

function same(a: Leaf, b: Leaf): boolean {
  return typeof a === 'string' || typeof b === 'string' ? a === b : a.key === b.key
}

/** Emits the comparisons that find the range of the number in the accumulator; a range that is alone needs none. */
function halve(program: Program, ranges: readonly Range[], labelOf: (leaf: Leaf) => Label): void {
  const middle = ranges.length >> 1
  const pivot = ranges[middle]
  if (pivot === undefined || middle === 0) return
  const [below, above] = [ranges.slice(0, middle), ranges.slice(middle)]
  const target = (half: readonly Range[]): Label => {
    const [only, second] = half
    return only !== undefined && second === undefined ? labelOf(only.leaf) : program.label()
  }
  const [low, high] = [target(below), target(above)]
  program.jump('greater-or-equal', pivot.first, high, low)
  for (const [half, label] of [
    [below, low],
    [above, high],
  ] as const) {
    if (half.length === 1) continue
    program.place(label)
    halve(program, half, labelOf)
  }
}

function emitLeaf(program: Program, leaf: Leaf): void {
  if (typeof leaf === 'string') {
    program.return(leaf === 'allow' ? RETURN_ALLOW : leaf === 'kill' ? RETURN_KILL : RETURN_ERRNO | ERRNO.ENOSYS)
    return
  }
  for (const rule of leaf.rules) {
    const next = program.label()
    for (const test of rule.when ?? []) emitTest(program, test, next)
    program.return(RETURN_ERRNO | ERRNO[rule.errno])
    if (rule.when === undefined || rule.when.length === 0) return
    program.place(next)
  }
  program.return(RETURN_ALLOW)
}

/** Falls through when the test holds, else jumps to `otherwise`. Words lie in memory low first on both architectures. */
function emitTest(program: Program, test: ArgumentTest, otherwise: Label): void {
  const holds = program.label()
  const [equal, unequal] = test.is === 'in' ? [holds, otherwise] : [otherwise, holds]
  const low = DATA.arguments + test.argument * 8
  const masks = { low: Number(test.mask & LOW), high: Number(test.mask >> 32n) }
  for (const value of test.values) {
    const next = program.label()
    program.load(low)
    if (masks.low !== Number(LOW)) program.and(masks.low)
    if (masks.high === 0) {
      program.jump('equal', Number(value & LOW), equal, next)
    } else {
      const high = program.label()
      program.jump('equal', Number(value & LOW), high, next)
      program.place(high)
      program.load(low + 4)
      if (masks.high !== Number(LOW)) program.and(masks.high)
      program.jump('equal', Number(value >> 32n), equal, next)
    }
    program.place(next)
  }
  // Reached when no value was equal; a jump that goes one way is a comparison both of whose ends are there.
  program.jump('equal', 0, unequal, unequal)
  program.place(holds)
}

function checkRule(rule: SeccompRule, index: number): void {
  const place = `rule ${index + 1} of the policy of system calls`
  const problem = (said: string): AdjutantError => new AdjutantError('CONFIG_INVALID', `${place}: ${said}`)
  if (rule.calls.length === 0) throw problem('names no call')
  for (const name of rule.calls) {
    if (!syscallNumbers('x64').has(name) && !syscallNumbers('arm64').has(name)) throw problem(`no kernel has a call "${name}"`)
  }
  if (!Object.hasOwn(ERRNO, rule.errno)) throw problem(`"${rule.errno}" is no error that a filter answers with`)
  for (const test of rule.when ?? []) {
    if (!Number.isInteger(test.argument) || test.argument < 0 || test.argument > 5)
      throw problem(`calls have arguments 0 to 5, not ${test.argument}`)
    if (test.mask <= 0n || test.mask > 0xffff_ffff_ffff_ffffn) throw problem('the mask must have 1 to 64 bits')
    if (test.values.length === 0) throw problem('a test needs a value')
    for (const value of test.values) if ((value & test.mask) !== value) throw problem(`value ${value} has bits beyond its mask`)
  }
}
