import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import type { JsonObject } from '../../contract/json.ts'
import type { SearchDocument } from './search-document.ts'
import { ToolIndex } from './tool-index.ts'

const tool = (name: string, description: string, more: Partial<SearchDocument> = {}): SearchDocument => ({
  id: name,
  name,
  description,
  ...more,
})

const CATALOGUE: readonly SearchDocument[] = [
  tool('get_weather_forecast', 'Forecast for a city over the next days.', {
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Name of the town' }, unit: { enum: ['celsius', 'kelvin'] } },
    },
  }),
  tool('sendEmail', 'Delivers a message to one or more recipients.'),
  tool('calendar.createEvent', 'Adds an appointment to a calendar.', { server: 'office' }),
  tool('calendar.deleteEvent', 'Removes an appointment from a calendar.', { server: 'office' }),
  tool('convert-currency', 'Converts an amount of money at the rate of the day.'),
  tool('HTTPServerStatus', 'Tells whether a web server answers.'),
  tool('generate_UUIDs', 'Unique identifiers.'),
  tool('list_directory', 'Names of what is in a folder.'),
  tool('write_file', 'Saves text to a file.'),
  tool('查询天气', '查询城市的天气预报'),
  tool('café_finder', 'Finds places to drink coffee.'),
]

function indexOf(documents: readonly SearchDocument[]): ToolIndex {
  const index = new ToolIndex()
  index.addAll(documents)
  return index
}

const names = (index: ToolIndex, query: string, limit = 3): readonly string[] => index.search(query, { limit }).map((hit) => hit.name)

describe('ToolIndex: what is found', () => {
  const index = indexOf(CATALOGUE)
  const wanted: Readonly<Record<string, string>> = {
    'what will the weather be like tomorrow in Bergen': 'get_weather_forecast',
    'will it rain': 'get_weather_forecast',
    'temperature in kelvin': 'get_weather_forecast',
    'SEND an EMAIL to bob@example.org': 'sendEmail',
    'put a meeting into my calendar': 'calendar.createEvent',
    createEvent: 'calendar.createEvent',
    'cancel: remove the appointment': 'calendar.deleteEvent',
    'how much is 5 euros in dollars, currency': 'convert-currency',
    'http status of my server': 'HTTPServerStatus',
    'I need a UUID': 'generate_UUIDs',
    'what is in /home/me/music/': 'list_directory',
    'save the report to /root/out/report.md': 'write_file',
    城市天气: '查询天气',
    CAFE: 'café_finder',
    'cafe\u0301': 'café_finder',
  }
  for (const [query, name] of Object.entries(wanted)) {
    it(`${JSON.stringify(query)} finds ${name}`, () => assert.equal(names(index, query)[0], name))
  }

  it('has a tool for each step of a request with several', () => {
    const found = names(
      index,
      'Look up the weather forecast for Oslo. Then send an email about it to Ann. Finally convert 5 euros to another currency.',
    )
    assert.deepEqual([...found].sort(), ['convert-currency', 'get_weather_forecast', 'sendEmail'])
  })

  it('says which words spoke for a tool, and where', () => {
    const [hit] = index.search('forecast for a town', { limit: 1 })
    assert.equal(hit?.name, 'get_weather_forecast')
    assert.deepEqual(
      hit?.why.find(({ word }) => word === 'forecast'),
      { word: 'forecast', fields: ['name', 'description'] },
    )
    assert.deepEqual(hit?.why.find(({ word }) => word === 'town')?.fields, ['parameters'])
    assert.ok((hit?.score ?? 0) > 0)
  })

  it('names the word that was found in the place of another', () => {
    const why = index.search('rain', { limit: 1 })[0]?.why ?? []
    assert.ok(why.some(({ word, as }) => word === 'rain' && as === 'weather'))
  })

  it('gives tools by their exact names, in the order asked for', () => {
    const found = index.search('select: write_file , nobody,sendEmail,write_file', { limit: 5 })
    assert.deepEqual(
      found.map(({ name, score, why }) => ({ name, score, why })),
      [
        { name: 'write_file', score: 1, why: [] },
        { name: 'sendEmail', score: 1, why: [] },
      ],
    )
    assert.deepEqual(index.search('select:'), [])
    assert.deepEqual(index.search('select:write_file', { filter: () => false }), [])
  })

  it('prefers what did well before, between tools that fit alike', () => {
    const twins = indexOf([tool('a_search', 'Searches the archive.'), tool('b_search', 'Searches the archive.')])
    assert.deepEqual(names(twins, 'search the archive'), ['a_search', 'b_search'])
    const found = twins.search('search the archive', { prior: (id) => (id === 'b_search' ? 1 : 0) })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['b_search', 'a_search'],
    )
    // It never lifts a tool that does not fit.
    const other = indexOf([...CATALOGUE, tool('a_search', 'Searches the archive.')])
    assert.equal(other.search('send email', { prior: (id) => (id === 'a_search' ? 1 : 0) })[0]?.name, 'sendEmail')
  })
})

describe('ToolIndex: bad input', () => {
  const index = indexOf(CATALOGUE)
  it('has no answer to nothing', () => {
    for (const query of ['', '   \n', '!!! ???', '\u0000', '🧭']) assert.deepEqual(index.search(query), [])
    assert.deepEqual(index.search('weather', { limit: 0 }), [])
    assert.deepEqual(index.search('weather', { limit: Number.NaN }), [])
    assert.deepEqual(new ToolIndex().search('weather'), [])
  })

  it('goes by grammar only where there is nothing else', () => {
    assert.ok(index.search('to what is the of a').length > 0)
    assert.deepEqual(index.search('what is a zyzzogeton'), [])
  })

  it('reads the ends of a query of 10 MB', () => {
    const filler = 'lorem ipsum dolor. '.repeat(550_000)
    assert.equal(index.search(`send an email ${filler}`)[0]?.name, 'sendEmail')
    assert.equal(index.search(`${filler} send an email`)[0]?.name, 'sendEmail')
    assert.deepEqual(index.search('x'.repeat(10_000_000)), [])
    assert.doesNotThrow(() => index.search('é'.repeat(10_000_000)))
  })

  it('keeps 10 000 tools of one name apart', () => {
    const same = new ToolIndex()
    for (let at = 0; at < 10_000; at++)
      same.add({ id: `server-${String(at).padStart(5, '0')}/search`, name: 'search', description: 'Searches.' })
    assert.equal(same.size, 10_000)
    const ids = same.search('search', { limit: 5 }).map(({ id }) => id)
    assert.equal(new Set(ids).size, 5)
    assert.deepEqual(ids, [...ids].sort())
    assert.equal(same.search('select:search', { limit: 5_000 }).length, 1_000)
  })

  it('takes an Arabic name of 500 characters, an empty description and boolean schemas', () => {
    const name = 'بحث '.repeat(125)
    const odd = indexOf([
      tool(name, ''),
      tool('anything', 'Takes all.', { inputSchema: true }),
      tool('nothing', 'Takes none.', { inputSchema: false }),
    ])
    assert.equal(odd.search('بحث')[0]?.name, name)
    assert.equal(odd.search('takes all')[0]?.name, 'anything')
  })

  it('reads schemas that are huge, deep or refer to themselves within bounds', () => {
    const properties: Record<string, JsonObject> = {}
    for (let at = 0; at < 3_000; at++) properties[`field_${at}`] = { type: 'string', description: `The value number ${at} of the record.` }
    let deep: JsonObject = { type: 'string', description: 'abyss' }
    for (let level = 0; level < 3_000; level++) deep = { type: 'object', properties: { inner: deep } }
    const recursive: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          description: 'tree',
          properties: { child: { $ref: '#/$defs/node', description: 'offspring' }, flag: true },
        },
      },
    }
    const large = indexOf([
      tool('huge', 'Stores a record.', { inputSchema: { type: 'object', properties } }),
      tool('deep', 'Goes down.', { inputSchema: deep }),
      tool('recursive', 'Walks.', { inputSchema: recursive }),
    ])
    assert.ok(JSON.stringify(properties).length > 166_000)
    assert.equal(large.search('record')[0]?.name, 'huge')
    assert.equal(large.search('offspring')[0]?.name, 'recursive')
    assert.deepEqual(large.search('abyss'), [])
  })

  it('knows no inherited names', () => {
    const index = indexOf([tool('constructor', '__proto__ and toString'), tool('__proto__', 'hasOwnProperty')])
    assert.equal(index.search('constructor')[0]?.name, 'constructor')
    assert.equal(index.search('select:__proto__')[0]?.name, '__proto__')
  })

  it('takes any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }), (query, text) => {
        const any = indexOf([...CATALOGUE, tool(`any_${text}`, text)])
        for (const hit of any.search(query)) assert.ok(Number.isFinite(hit.score) && hit.score > 0)
      }),
      { numRuns: 60 },
    )
  })
})

const WORDS = [
  'send',
  'email',
  'weather',
  'city',
  'file',
  'read',
  'delete',
  'user',
  'order',
  'image',
  'rain',
  'zebra',
  'the',
  'get',
  'quantum',
  'live',
  'stream',
  'livestream',
]
const phrase = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const query = fc.array(phrase, { minLength: 1, maxLength: 3 }).map((phrases) => phrases.join('. '))
const documents = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...Array.from({ length: 14 }, (_, at) => `t${at}`)),
    name: phrase,
    description: phrase,
    server: fc.constantFrom('', 'alpha', 'beta'),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 14 },
)

describe('ToolIndex: invariants', () => {
  it('answers as an index without the tools that a filter leaves out: order, scores and reasons', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), query, (all, shown, text) => {
        const seen = all.filter((_, at) => shown[at])
        const ids = new Set(seen.map(({ id }) => id))
        const hidden = indexOf(all).search(text, { limit: 20, filter: (id) => ids.has(id) })
        assert.deepEqual(hidden, indexOf(seen).search(text, { limit: 20 }))
      }),
      { numRuns: 150 },
    )
  })

  it('answers by what is in it, not by how it came there', () => {
    const change = fc.record({ add: fc.boolean(), at: fc.nat({ max: 13 }) })
    fc.assert(
      fc.property(documents, fc.array(change, { maxLength: 20 }), query, (all, changes, text) => {
        const index = indexOf(all)
        const now = new Map(all.map((each) => [each.id, each]))
        for (const { add, at } of changes) {
          const document = all[at % all.length]
          if (document === undefined) continue
          if (add) {
            const changed = { ...document, description: `${document.description} zebra` }
            index.add(changed)
            now.set(changed.id, changed)
          } else assert.equal(index.remove(document.id), now.delete(document.id))
          if (at % 3 === 0) index.search(text)
        }
        const fresh = indexOf([...now.values()])
        assert.equal(index.size, now.size)
        assert.deepEqual(bare(index, text), bare(fresh, text))
        assert.deepEqual(bare(ToolIndex.load(index.serialise()), text), bare(fresh, text))
      }),
      { numRuns: 100 },
    )
  })

  it('gives the first of a longer answer for a shorter one', () => {
    fc.assert(
      fc.property(documents, query, fc.integer({ min: 1, max: 6 }), (all, text, limit) => {
        const index = indexOf(all)
        assert.deepEqual(index.search(text, { limit }), index.search(text, { limit: 20 }).slice(0, limit))
      }),
      { numRuns: 60 },
    )
  })

  it('forgets words that no tool has any more', () => {
    const index = indexOf(CATALOGUE)
    const before = index.serialise().length
    for (let round = 0; round < 12; round++) {
      for (let at = 0; at < 500; at++)
        index.add(
          tool(
            `t${at}`,
            `word${round}x${at} other${round}y${at}`.replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? ''),
          ),
        )
      for (let at = 0; at < 500; at++) index.remove(`t${at}`)
      index.search('weather')
    }
    assert.ok(index.serialise().length < before * 8, `${index.serialise().length} bytes after ${before}`)
    assert.equal(index.search('will it rain')[0]?.name, 'get_weather_forecast')
    assert.equal(index.search('城市天气')[0]?.name, '查询天气')
  })
})

/** Equal scores are in the order of names and ids; reasons of equal weight may stand in another order. */
function bare(index: ToolIndex, text: string): readonly object[] {
  return index.search(text, { limit: 20 }).map(({ id, name, score }) => ({ id, name, score: Number(score.toPrecision(5)) }))
}
