import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AdjutantError, type Embedder } from '@adjutant/core/contract'

const ODD_TEXTS = ['', ' ', 'plain', 'plain', '天气预报', '🧭\u0000\n', 'long '.repeat(20_000)]

/**
 * What every {@link Embedder} must do. Call it inside a test file, with a maker of embedders.
 *
 * @example
 * ```ts
 * embedderConformance('hashEmbedder', async () => hashEmbedder())
 * ```
 */
export function embedderConformance(name: string, make: () => Promise<Embedder>): void {
  const signal = new AbortController().signal

  describe(`${name} is an embedder`, () => {
    it('gives a vector of its length for each text, in order, whatever the text', async () => {
      const embedder = await make()
      const vectors = await embedder.embed(ODD_TEXTS, { signal })
      assert.equal(vectors.length, ODD_TEXTS.length)
      for (const vector of vectors) {
        assert.equal(vector.length, embedder.dimensions)
        assert.ok(vector.every((value) => Number.isFinite(value)))
      }
      assert.deepEqual(vectors[2], vectors[3])
    })

    it('gives the same for a text in whatever company it comes', async () => {
      const embedder = await make()
      const many = await embedder.embed(
        Array.from({ length: 150 }, (_, at) => `text ${at}`),
        { signal },
      )
      const [one] = await embedder.embed(['text 140'], { signal })
      assert.deepEqual(many[140], one)
      assert.notDeepEqual(many[140], many[7])
    })

    it('gives nothing for nothing', async () => assert.deepEqual(await (await make()).embed([], { signal }), []))

    it('stops when it is told to', async () => {
      const embedder = await make()
      await assert.rejects(
        embedder.embed(['text'], { signal: AbortSignal.abort() }),
        (error) => AdjutantError.isInstance(error) && error.code === 'CANCELLED',
      )
    })
  })
}
