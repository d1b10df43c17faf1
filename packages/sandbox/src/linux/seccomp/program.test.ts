import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError } from '@adjutant/core/contract'
import fc from 'fast-check'
import { interpret } from './bpf-interpreter.test-helper.ts'
import { Program } from './program.ts'

describe('Program', () => {
  it('finds every value whatever the distance of its answer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900 }), fc.nat(), (count, seed) => {
        const program = new Program()
        program.load(0)
        const labels = Array.from({ length: count }, () => program.label())
        for (const [value, label] of labels.entries()) {
          const next = program.label()
          program.jump('equal', value, label, next)
          program.place(next)
        }
        program.return(0xffff)
        for (const [value, label] of labels.entries()) {
          program.place(label)
          program.return(value + 1)
        }
        const bytes = program.assemble()
        const asked = seed % count
        assert.equal(interpret(bytes, { number: asked, arch: 0 }).value, asked + 1)
        assert.equal(interpret(bytes, { number: count, arch: 0 }).value, 0xffff)
      }),
      { numRuns: 60 },
    )
  })

  it('tests bits, and cuts with a mask', () => {
    const program = new Program()
    const [yes, no] = [program.label(), program.label()]
    program.load(16)
    program.and(0xf0)
    program.jump('set', 0x30, yes, no)
    program.place(yes)
    program.return(1)
    program.place(no)
    program.return(2)
    const bytes = program.assemble()
    assert.equal(interpret(bytes, { number: 0, arch: 0, arguments: [0x2fn] }).value, 1)
    assert.equal(interpret(bytes, { number: 0, arch: 0, arguments: [0x4fn] }).value, 2)
    assert.equal(interpret(bytes, { number: 0, arch: 0, arguments: [0xf_0000_000fn] }).value, 2)
  })

  it('refuses a jump to nowhere, a jump backwards and a program that is too long', () => {
    const nowhere = new Program()
    nowhere.jump('equal', 1, nowhere.label(), nowhere.label())
    assert.throws(() => nowhere.assemble(), internal(/nowhere/))
    const backwards = new Program()
    const start = backwards.label()
    backwards.place(start)
    backwards.load(0)
    backwards.jump('equal', 1, start, start)
    assert.throws(() => backwards.assemble(), internal(/behind its jump/))
    const long = new Program()
    for (let index = 0; index < 4097; index++) long.return(0)
    assert.throws(() => long.assemble(), internal(/4097 instructions; the kernel takes 4096/))
  })
})

function internal(message: RegExp): (error: unknown) => boolean {
  return (error) => AdjutantError.isInstance(error) && error.code === 'INTERNAL' && message.test(error.message)
}
