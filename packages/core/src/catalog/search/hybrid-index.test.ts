import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { embedderConformance, startStubProvider } from '@adjutant/testkit'
import { AdjutantError } from '../../contract/errors.ts'
import type { Embedder } from '../../contract/ports.ts'
import { hashEmbedder } from './hash-embedder.ts'
import { HybridIndex } from './hybrid-index.ts'
import { openAiEmbedder } from './openai-embedder.ts'

const signal = new AbortController().signal
const inner = hashEmbedder({ dimensions: 32 })

/** An endpoint of OpenAI's form over a real embedder; answers out of order, as the form allows. */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  const { input }: { input: readonly string[] } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  const vectors = await inner.embed(input, { signal })
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] })).reverse()
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ object: 'list', data }))
})
let url = ''
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/v1/`
})
after(() => server.close())

embedderConformance('hashEmbedder', async () => hashEmbedder())
embedderConformance('openAiEmbedder', async () => openAiEmbedder({ url, model: 'any', dimensions: 32 }))

describe('openAiEmbedder', () => {
  const failing = async (body: string, status = 200): Promise<AdjutantError> => {
    await using provider = await startStubProvider([{ status, body }])
    const embedder = openAiEmbedder({ url: provider.url, model: 'm', dimensions: 2, apiKey: 'sk-secret' })
    const error = await embedder.embed(['a', 'b'], { signal }).then(
      () => assert.fail('it did not fail'),
      (thrown: unknown) => thrown,
    )
    assert.ok(AdjutantError.isInstance(error))
    assert.doesNotMatch(`${error.message} ${error.hint}`, /sk-secret/)
    assert.equal(provider.requests[0]?.headers.authorization, 'Bearer sk-secret')
    assert.deepEqual(JSON.parse(provider.requests[0]?.text ?? ''), { model: 'm', input: ['a', 'b'], encoding_format: 'float' })
    return error
  }

  it('says what is wrong with an answer', async () => {
    const vector = (embedding: unknown, index = 0): string => JSON.stringify({ data: [{ index, embedding }] })
    assert.match((await failing('<html>')).message, /did not answer with JSON/)
    assert.match((await failing('{}')).message, /without "data"/)
    assert.match((await failing(vector('no'))).message, /no vector/)
    assert.match((await failing(vector([1, null]))).message, /no vector/)
    assert.match((await failing(vector([1, 2, 3]))).message, /vectors of 3 numbers, where 2 were expected/)
    assert.match((await failing(vector([1, 2]))).message, /fewer vectors than the 2 texts/)
    assert.match((await failing(vector([1, 2], 9))).message, /fewer vectors/)
  })

  it('tells what may be tried again from what may not', async () => {
    assert.equal((await failing('slow down', 429)).code, 'MODEL_UNAVAILABLE')
    assert.equal((await failing('broken', 503)).code, 'MODEL_UNAVAILABLE')
    assert.equal((await failing('no such model', 404)).code, 'MODEL_FAILED')
    const nobody = openAiEmbedder({ url: 'http://127.0.0.1:1', model: 'm', dimensions: 2 })
    await assert.rejects(nobody.embed(['a'], { signal }), /cannot be reached/)
  })
})

/** Knows that two words mean the same, which no index of words does. */
const knowing: Embedder = {
  dimensions: 2,
  embed: async (texts) => texts.map((text) => (/canine|dog/i.test(text) ? Float32Array.of(1, 0) : Float32Array.of(0, 3))),
}

describe('HybridIndex', () => {
  const fill = (index: HybridIndex): HybridIndex => {
    index.add({ id: '1', name: 'walk_dog', description: 'Takes it around the block.' })
    index.add({ id: '2', name: 'feed_cat', description: 'Fills its bowl.' })
    index.add({ id: '3', name: 'bowl_scores', description: 'Results of bowling.' })
    return index
  }
  const names = async (index: HybridIndex, query: string, filter?: (id: string) => boolean): Promise<readonly string[]> =>
    (await index.search(query, { signal, limit: 2, ...(filter === undefined ? {} : { filter }) })).hits.map(({ name }) => name)

  it('finds by meaning what no word would find, once it has the vectors', async () => {
    const index = fill(new HybridIndex(knowing))
    assert.deepEqual(await names(index, 'my canine companion'), [])
    await index.embed({ signal })
    assert.equal((await names(index, 'my canine companion'))[0], 'walk_dog')
    assert.notEqual((await names(index, 'my canine companion', (id) => id !== '1'))[0], 'walk_dog')
  })

  it('joins both orders: what both find comes first', async () => {
    const index = fill(new HybridIndex(knowing))
    await index.embed({ signal })
    assert.equal((await names(index, 'fill the bowl of the cat'))[0], 'feed_cat')
    assert.deepEqual(await names(index, 'select:bowl_scores'), ['bowl_scores'])
    assert.deepEqual(await names(index, '  '), [])
  })

  it('follows changes', async () => {
    const index = fill(new HybridIndex(knowing))
    await index.embed({ signal })
    assert.equal(index.remove('1'), true)
    index.add({ id: '2', name: 'feed_dog', description: 'Fills its bowl.' })
    assert.equal(index.size, 2)
    await index.embed({ signal })
    assert.equal((await names(index, 'canine'))[0], 'feed_dog')
  })

  it('answers by words, and says why, when the embedder fails', async () => {
    let broken = false
    const index = fill(
      new HybridIndex({
        dimensions: 2,
        embed: async (texts, options) => {
          if (broken) throw new Error('out of order')
          return knowing.embed(texts, options)
        },
      }),
    )
    await index.embed({ signal })
    broken = true
    const { hits, problem } = await index.search('feed the cat', { signal })
    assert.equal(hits[0]?.name, 'feed_cat')
    assert.equal(problem?.code, 'MODEL_UNAVAILABLE')
    assert.match(problem?.message ?? '', /out of order/)
  })

  it('stops when it is told to', async () => {
    const index = fill(new HybridIndex(hashEmbedder()))
    await index.embed({ signal })
    await assert.rejects(index.search('cat', { signal: AbortSignal.abort() }), /stopped/)
  })
})
