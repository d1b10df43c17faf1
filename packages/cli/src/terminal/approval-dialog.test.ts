import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Effect, JsonObject } from '@adjutant/core'
import fc from 'fast-check'
import { type ExampleRequest, exampleCall, exampleRequest, UNPRINTABLE } from '../../test/approval-example.ts'
import { ApprovalDialog, type DialogKey, type DialogOutcome } from './approval-dialog.ts'
import { approvalView } from './approval-view.ts'
import { rowText, rowWidth } from './rows.ts'
import { themeFor } from './theme.ts'

const ROOM = { columns: 76, rows: 20 }
const SMALL = { columns: 36, rows: 9 }
const PLACES = { workspace: '/work/x', env: { XDG_CONFIG_HOME: '/conf' } }

async function open(given: ExampleRequest = {}, room = ROOM, colour = false): Promise<Talk> {
  const view = await approvalView(exampleRequest(given), PLACES)
  return new Talk(new ApprovalDialog(view, themeFor({ colour, unicode: true })), room)
}

/** Draws before each key, as a terminal does. */
class Talk {
  readonly #dialog: ApprovalDialog
  readonly #room: typeof ROOM

  constructor(dialog: ApprovalDialog, room: typeof ROOM) {
    this.#dialog = dialog
    this.#room = room
  }

  /** All that was on the screen once. */
  readonly seen = new Set<string>()

  screen(): readonly string[] {
    const lines = this.#dialog.draw(this.#room).map(rowText)
    for (const line of lines) this.seen.add(line)
    return lines
  }

  text(): string {
    return this.screen().join('\n')
  }

  press(...keys: readonly (string | NonNullable<DialogKey['name']>)[]): DialogOutcome {
    let outcome: DialogOutcome = { type: 'nothing' }
    for (const key of keys) {
      this.screen()
      outcome = this.#dialog.press(key.length === 1 ? { input: key } : { input: '', name: nameOf(key) })
    }
    return outcome
  }
}

const NAMES = ['return', 'escape', 'up', 'down', 'page-up', 'page-down', 'home', 'end'] as const
function nameOf(key: string): NonNullable<DialogKey['name']> {
  const name = NAMES.find((one) => one === key)
  if (name === undefined) throw new Error(`no key ${key}`)
  return name
}

const yes = (decision: object): object => ({ type: 'answer', decision: { type: 'approve', ...decision } })
const MATCHING = [exampleCall({ id: 'b', input: { command: 'rm -rf build' } }), exampleCall({ id: 'c', input: { command: 'rm c' } })]
const MANY: ExampleRequest = { matching: MATCHING, identical: ['b'], saveTo: ['project', 'user'] }

describe('the keys of a question', () => {
  it('answer with one key each', async () => {
    const write: ExampleRequest = { effect: 'write' }
    assert.deepEqual((await open(write)).press('return'), yes({ scope: 'once' }))
    assert.deepEqual((await open(write)).press('Y'), yes({ scope: 'once' }))
    assert.deepEqual((await open(write)).press('c'), yes({ scope: 'call' }))
    assert.deepEqual((await open(write)).press('t'), yes({ scope: 'tool' }))
    assert.deepEqual((await open(write)).press('e'), { type: 'edit' })
    assert.deepEqual((await open(write)).press('n'), { type: 'refuse' })
    assert.deepEqual((await open(write)).press('escape'), { type: 'refuse' })
    for (const key of ['a', 'm', 'x', '1', ' ']) assert.deepEqual((await open(write)).press(key), { type: 'nothing' }, key)
  })

  it('take no Enter for a dangerous call, however often it is pressed', async () => {
    const talk = await open()
    assert.match(talk.text(), /Run it\? \[y\/n\]/)
    assert.deepEqual(talk.press('return', 'return', 'return'), { type: 'nothing' })
    assert.match(talk.text(), /Enter answers nothing here/)
    assert.deepEqual(talk.press('y'), yes({ scope: 'once' }))
    for (const page of ['t', 'a', 'm']) {
      assert.deepEqual((await open(MANY)).press(page, 'return', 'return', 'return'), { type: 'nothing' }, page)
    }
  })

  it('ask once more before a whole dangerous tool is allowed', async () => {
    const talk = await open()
    assert.deepEqual(talk.press('t'), { type: 'nothing' })
    assert.match(talk.text(), /Every dangerous call of run_shell would run unasked/)
    assert.deepEqual(talk.press('t'), { type: 'nothing' })
    assert.match(talk.text(), /Run it/)
    assert.deepEqual(talk.press('t', 'y'), yes({ scope: 'tool' }))
  })

  it('show file and rule before an answer is kept for always', async () => {
    const talk = await open(MANY)
    talk.press('a')
    assert.match(talk.text(), /\/work\/x\/\.adjutant\/policy\.yaml \(this project\)/)
    assert.match(talk.text(), /\/conf\/adjutant\/policy\.yaml \(you, everywhere\)/)
    assert.match(talk.text(), /1 allow run_shell, effect dangerous, with command exactly as shown/)
    assert.deepEqual(talk.press('escape', 'a', '9', 'y'), { type: 'nothing' })
    assert.deepEqual(talk.press('1'), yes({ scope: 'always', of: 'call', tier: 'project' }))
    assert.deepEqual((await open(MANY)).press('a', '4'), yes({ scope: 'always', of: 'tool', tier: 'user' }))
  })

  it('keep nothing for always that has not been read in a small window', async () => {
    const talk = await open(MANY, SMALL)
    assert.deepEqual(talk.press('a', '1'), { type: 'nothing' })
    assert.match(talk.text(), /Read all of it first/)
    assert.deepEqual(
      talk.press('page-down', 'page-down', 'page-down', 'page-down', '1'),
      yes({ scope: 'always', of: 'call', tier: 'project' }),
    )
  })

  it('let all that match run only after every one was on the screen', async () => {
    assert.deepEqual((await open(MANY)).press('m', 'y'), yes({ scope: 'matching' }))
    const many = Array.from({ length: 40 }, (_, index) => exampleCall({ id: `c${index}`, input: { command: `rm ${index}` } }))
    const talk = await open({ matching: many })
    assert.match(talk.text(), /1 of 41/)
    talk.press('m')
    // To the end at once: what lies between was not seen.
    assert.deepEqual(talk.press('end', 'y'), { type: 'nothing' })
    assert.match(talk.text(), /v shows all/)
    talk.press('home')
    let outcome: DialogOutcome = { type: 'nothing' }
    for (let index = 0; index < 30 && outcome.type === 'nothing'; index += 1) {
      outcome = talk.press('y')
    }
    assert.deepEqual(outcome, yes({ scope: 'matching' }))
    for (let index = 0; index < 40; index += 1) assert.ok(talk.seen.has(`command  rm ${index}`), `rm ${index}`)
    const whole = (await open({ matching: many })).press('m', 'v')
    assert.ok(whole.type === 'print' && whole.rows.map(rowText).includes('command  rm 39'))
  })

  it('let several run with long arguments only after all of them was written out', async () => {
    const talk = await open(
      { matching: [exampleCall({ id: 'b', input: { command: `echo ${'x'.repeat(5_000)}; rm y` } })] },
      { columns: 200, rows: 50 },
    )
    assert.deepEqual(talk.press('m', 'y'), { type: 'nothing' })
    assert.match(talk.text(), /has not been shown yet: v shows all/)
    const printed = talk.press('v')
    assert.ok(printed.type === 'print' && printed.rows.map(rowText).join('').includes('; rm y'))
    assert.deepEqual(talk.press('y'), yes({ scope: 'matching' }))
  })

  it('write a dangerous call out before it is allowed, where it does not fit', async () => {
    const talk = await open({ input: { command: `echo ${'x'.repeat(70_000)}` } })
    const first = talk.press('y')
    assert.ok(first.type === 'print')
    assert.equal(first.rows.map(rowText).join('').match(/x/g)?.length, 70_000)
    assert.match(talk.text(), /All of the call is above now\. y allows it\./)
    assert.deepEqual(talk.press('y'), yes({ scope: 'once' }))
    // The same by reading.
    const lines = Array.from({ length: 40 }, (_, index) => `echo ${index}`).join('\n')
    const read = await open({ input: { command: lines } })
    assert.deepEqual(read.press('page-down', 'page-down', 'page-down', 'page-down', 'page-down', 'page-down', 'y'), yes({ scope: 'once' }))
    // What changes something only may be allowed at a glance, as before.
    assert.deepEqual((await open({ effect: 'write', input: { command: lines } })).press('return'), yes({ scope: 'once' }))
  })
})

describe('a question that has just opened after another', () => {
  it('shows and takes no key until it is settled, and does not jump then', async () => {
    const view = await approvalView(exampleRequest(), PLACES)
    const dialog = new ApprovalDialog(view, themeFor({ colour: false, unicode: true }))
    dialog.settle(false)
    const before = dialog.draw(ROOM).map(rowText)
    assert.doesNotMatch(before.join('\n'), /Run it|once/)
    assert.deepEqual(dialog.press({ input: 'y' }), { type: 'nothing' })
    dialog.settle(true)
    assert.equal(dialog.draw(ROOM).length, before.length)
    assert.deepEqual(dialog.press({ input: 'y' }), yes({ scope: 'once' }))
  })
})

describe('what a question shows', () => {
  it('says who asks, why, and whom else the answer concerns', async () => {
    const talk = await open({
      ...MANY,
      reason: 'careful',
      decision: { effect: 'ask', rule: 'project/no-rm', tier: 'project', reason: 'careful' },
    })
    const text = talk.text()
    assert.match(text, /^run_shell {2}DANGEROUS {2}1 of 3 {2}built-in\nasked by project\/no-rm: careful\n/)
    assert.match(text, /Answers 1 identical call as well \(an edit is for this one only\)\./)
    assert.match(text, /1 other call of run_shell waits: m lists all\./)
    assert.match(
      text,
      /y once {2}c this call, whole session {2}t this tool, whole session {2}a always\nm all 3 that match {2}e edit {2}n no {2}v view all/,
    )
  })

  it('points at what is dangerous: under it without colours, with its reason in both', async () => {
    const command = '全 ls; rm -rf /; ls'
    const start = command.indexOf('rm')
    const marks = (): ReturnType<NonNullable<ExampleRequest['marks']>> => [
      { path: '/command', start, end: start + 8, effect: 'dangerous', reason: 'deletes' },
    ]
    const plain = (await open({ input: { command }, marks })).screen()
    const at = plain.indexOf('command  全 ls; rm -rf /; ls')
    assert.equal(plain[at + 1], `${' '.repeat(9 + 7)}^^^^^^^^ deletes`)
    const coloured = (await open({ input: { command }, marks }, ROOM, true)).screen()
    assert.equal(coloured[at + 1], `${' '.repeat(9 + 7)}^ deletes`)
  })

  it('begins at what is dangerous when that stands far down', async () => {
    const command = `${'echo\n'.repeat(60)}rm -rf /\n${'echo\n'.repeat(60)}`
    const start = command.indexOf('rm')
    const talk = await open({
      input: { command },
      marks: () => [{ path: '/command', start, end: start + 8, effect: 'dangerous', reason: 'deletes' }],
    })
    assert.match(talk.text(), /rm -rf \/\n +\^{8} deletes\n/)
    assert.match(talk.text(), /… \d+ above, \d+ below/)
  })

  it('fits its room, and nothing in it is obeyed, whatever is asked and pressed', async () => {
    const part = fc.constantFrom(
      ...[
        'a',
        ' ',
        '\n',
        '\r',
        '\u001b[2J',
        '\u001b]8;;x\u0007',
        '\u009b',
        '\u0085',
        '\u202e',
        '\u2066',
        '\u200b',
        '\u00ad',
        '\ud800',
        '副',
        '\u007f',
        '"',
        '\\',
      ],
      'word '.repeat(30),
    )
    const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''))
    const input: fc.Arbitrary<JsonObject> = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), { maxKeys: 4 })
    const given = fc.record({
      name: text,
      input: fc.oneof(
        input,
        fc.record({ path: text, content: text }),
        fc.record({ path: text, old_text: text, new_text: text }),
        fc.record({ command: text }),
      ),
      effect: fc.constantFrom<Effect>('read', 'write', 'dangerous'),
      from: text,
      reason: text,
      rule: text,
      note: text,
      others: fc.uniqueArray(fc.record({ id: text.map((word) => `c${word}`), input }), { maxLength: 3, selector: ({ id }) => id }),
      start: fc.integer({ min: -2, max: 30 }),
      keys: fc.array(fc.constantFrom('m', 'a', 't', 'v', 'y', 'x', '1', 'down', 'page-down', 'end', 'escape', 'return'), { maxLength: 8 }),
      columns: fc.integer({ min: 20, max: 120 }),
      rows: fc.integer({ min: 9, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(given, fc.boolean(), async (made, colour) => {
        const room = { columns: made.columns, rows: made.rows }
        const talk = await open(
          {
            ...made,
            origin: { kind: 'mcp', from: made.from },
            decision: { effect: 'ask', rule: made.rule, tier: 'user', reason: made.reason },
            conversions: [{ path: made.note, from: made.note, to: made.note, rule: made.note }],
            repairs: [{ rule: 'x', at: 0, note: made.note }],
            matching: made.others.map((other) => exampleCall({ ...other, effect: made.effect })),
            identical: made.others.slice(0, 1).map(({ id }) => id),
            marks: () => [{ path: '/command', start: made.start, end: made.start + 9, effect: 'dangerous', reason: made.reason }],
            saveTo: ['project'],
          },
          room,
          colour,
        )
        for (const key of made.keys) {
          const screen = talk.screen()
          assert.ok(screen.length <= made.rows, `${screen.length} rows of ${made.rows}`)
          for (const line of screen) {
            assert.doesNotMatch(line, UNPRINTABLE)
            assert.ok(rowWidth([{ text: line, tone: 'plain' }]) <= made.columns, `${made.columns}: ${line}`)
          }
          const outcome = talk.press(key)
          if (outcome.type === 'print') for (const row of outcome.rows) assert.doesNotMatch(rowText(row), UNPRINTABLE)
        }
      }),
      { numRuns: 300 },
    )
  })
})
