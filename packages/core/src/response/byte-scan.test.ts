import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type ByteScan, scanBytes, scanPlainly } from './byte-scan.ts'

const plain = fc.array(fc.constantFrom(0x0a, 0x20, 0x41, 0x7e, 0x09), { maxLength: 200 })
const any = fc.oneof(
  plain,
  fc.array(fc.constantFrom(0x0a, 0x41, 0x7f, 0x1f, 0x0d, 0x00, 0x0b), { maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 }),
)

/** Said anew, byte by byte. */
function expected(bytes: Uint8Array): ByteScan {
  const all = [...bytes]
  return {
    newlines: all.filter((byte) => byte === 0x0a).length,
    ascii: all.every((byte) => byte < 0x80),
    control: all.some((byte) => byte === 0x7f || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)),
  }
}

describe('scanBytes', () => {
  for (const [name, scan] of [
    ['compiled', scanBytes],
    ['plain', scanPlainly],
  ] as const) {
    it(`tells lines, ASCII and control characters of any bytes at any alignment (${name})`, () => {
      fc.assert(
        fc.property(any, fc.nat(20), (values, from) => {
          const bytes = Uint8Array.from(values).subarray(from)
          assert.deepEqual(scan(bytes), expected(bytes))
        }),
        { numRuns: 1_000 },
      )
    })

    it(`sees each byte value, wherever it stands (${name})`, () => {
      for (let value = 0; value < 256; value++) {
        for (const at of [0, 15, 16, 40]) {
          const bytes = new Uint8Array(41).fill(0x41)
          bytes[at] = value
          assert.deepEqual(scan(bytes), expected(bytes))
        }
      }
    })

    it(`goes over more than one page, and forgets the one before (${name})`, () => {
      const lines = new Uint8Array(200_001).fill(0x0a)
      assert.deepEqual(scan(lines), { newlines: 200_001, ascii: true, control: false })
      lines[199_999] = 0x1b
      lines[70_000] = 0xe9
      assert.deepEqual(scan(lines), { newlines: 199_999, ascii: false, control: true })
      assert.deepEqual(scan(Uint8Array.of(0x41)), { newlines: 0, ascii: true, control: false })
      assert.deepEqual(scan(new Uint8Array(0)), { newlines: 0, ascii: true, control: false })
    })
  }

  it('does without WebAssembly where there is none', () => {
    const script =
      `const { scanBytes } = await import(${JSON.stringify(new URL('./byte-scan.ts', import.meta.url).href)});` +
      "delete globalThis.WebAssembly; process.stdout.write(JSON.stringify(scanBytes(Buffer.from('a\\nb\\r\\né'))))"
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    assert.equal(run.stdout, '{"newlines":2,"ascii":false,"control":true}', run.stderr)
  })
})
