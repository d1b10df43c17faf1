import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import { AdjutantError, type SandboxBackend, type SandboxGuarantee, type SandboxLanguage } from '@adjutant/core/contract'
import fc from 'fast-check'
import { quickJsBackend } from '../quickjs/quickjs-backend.ts'
import { openSandboxes } from './sandboxes.ts'

const GUARANTEES = ['filesystem', 'network', 'processes', 'environment', 'memory'] as const satisfies readonly SandboxGuarantee[]
const LANGUAGES = ['bash', 'js'] as const satisfies readonly SandboxLanguage[]

/** Boxes are real; what is said of them differs. */
const boxes = quickJsBackend({ clock: systemClock, pool: 1 })
after(() => boxes[Symbol.asyncDispose]())

interface Shape {
  readonly works: boolean
  readonly refuses: boolean
  readonly languages: readonly SandboxLanguage[]
  readonly enforces: readonly SandboxGuarantee[]
}

function backendOf(name: string, shape: Shape): SandboxBackend {
  return {
    name,
    languages: new Set(shape.languages),
    enforces: new Set(shape.enforces),
    probe: async () => (shape.works ? { ok: true, detail: 'works' } : { ok: false, detail: 'does not work' }),
    open: async () => {
      if (shape.refuses) throw new AdjutantError('SANDBOX_TOO_WEAK', 'cannot have that')
      const box = await boxes.open({})
      return {
        id: box.id,
        backend: name,
        enforces: box.enforces,
        run: (run) => box.run(run),
        writeFile: (path, bytes) => box.writeFile(path, bytes),
        readFile: (path, options) => box.readFile(path, options),
        list: (path) => box.list(path),
        close: () => box.close(),
        [Symbol.asyncDispose]: () => box.close(),
      }
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

const shape = fc.record({
  works: fc.boolean(),
  refuses: fc.boolean(),
  languages: fc.subarray([...LANGUAGES]),
  enforces: fc.subarray([...GUARANTEES]),
})

describe('the choice', () => {
  it('is the first that works, has the language, enforces all that is required and takes the spec; or none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(shape, { maxLength: 5 }),
        fc.option(fc.subarray([...GUARANTEES]), { nil: undefined }),
        fc.subarray([...GUARANTEES]),
        fc.constantFrom(...LANGUAGES),
        async (shapes, requires, more, lang) => {
          const names = shapes.map((_, index) => `backend${index}`)
          const required = [...(requires ?? ['filesystem', 'network', 'processes', 'environment']), ...more]
          const fits = (one: Shape): boolean =>
            one.works && one.languages.includes(lang) && required.every((word) => one.enforces.some((has) => has === word))
          const expected = shapes.findIndex((one) => fits(one) && !one.refuses)
          await using sandboxes = openSandboxes({
            clock: systemClock,
            ids: randomIds,
            backends: Object.fromEntries(shapes.map((one, index) => [`backend${index}`, () => backendOf(`backend${index}`, one)])),
            order: names,
            ...(requires === undefined ? {} : { requires }),
          })
          const opened = await sandboxes.open({ requires: more }, lang).catch((error: unknown) => error)
          if (expected === -1) {
            assert.ok(AdjutantError.isInstance(opened))
            const isWeak = shapes.some((one) => one.works && one.languages.includes(lang))
            assert.equal(opened.code, isWeak ? 'SANDBOX_TOO_WEAK' : 'SANDBOX_UNAVAILABLE')
            for (const name of names) assert.ok(opened.message.includes(`${name}: `), name)
            return
          }
          assert.ok(typeof opened === 'object' && opened !== null && 'backend' in opened)
          assert.equal(opened.backend, names[expected])
          assert.ok('close' in opened && typeof opened.close === 'function')
          await opened.close()
        },
      ),
      { numRuns: 150 },
    )
  })
})
