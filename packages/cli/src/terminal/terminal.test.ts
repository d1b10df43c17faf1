import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type RecordedRound, recording } from '../../test/recording.ts'
import { COMMAND } from '../../test/run-command.ts'
import { TmuxScreen, tmuxMissing } from '../../test/tmux-screen.ts'

let folder = ''
let state = ''
let screen: TmuxScreen | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-screen-'))
  state = await mkdtemp(join(tmpdir(), 'adjutant-state-'))
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\nthree\n')
})
afterEach(async () => {
  screen?.close()
  screen = undefined
  await rm(folder, { recursive: true, force: true })
  await rm(state, { recursive: true, force: true })
})

interface Look {
  readonly columns?: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

async function open(rounds: readonly RecordedRound[], { columns = 80, args = [], env = {} }: Look = {}): Promise<TmuxScreen> {
  await writeFile(join(folder, 'talk.jsonl'), recording(rounds))
  const opened = new TmuxScreen([...COMMAND, 'run', 'Do it.', '--model', 'replay:talk.jsonl', ...args], {
    columns,
    rows: 30,
    cwd: folder,
    env: { XDG_STATE_HOME: state, ADJUTANT_REPLAY_PACE: '0', EDITOR: '', VISUAL: '', ...env },
  })
  screen = opened
  return opened
}

const EVIL = 'two\u001b[2J\u001b[1A\u001b[K\u202e \u0007end'

const skip = tmuxMissing()

describe('the terminal', { skip, timeout: 120_000 }, () => {
  it('asks before a write: shows what it would do, never obeys it, and takes no with a reason and yes', async () => {
    const it = await open([
      {
        text: 'First line.\nI write.',
        calls: [
          ['read_file', { path: 'a.txt' }],
          ['write_file', { path: 'no.txt', content: 'x' }],
          ['edit_file', { path: 'a.txt', old_text: 'two', new_text: EVIL }],
        ],
      },
      { text: 'All is done.' },
    ])
    const first = await it.until(/Run it\? \[Y\/n\]/)
    assert.match(first, /^First line\.$/m)
    assert.match(first, /│ write_file {2}changes something {2}built-in +│/)
    assert.match(first, /│ no\.txt/)
    assert.match(first, /│ \+ x /)
    assert.match(first, /y once {2}c this call, whole session {2}t this tool, whole session {2}a always/)
    it.keys('n')
    await it.until(/Why not\?/)
    it.keys('please do not', 'Enter')
    const second = await it.until(/│ - two[\s\S]*Run it/)
    assert.match(second, /write_file: denied \(please do not\)/)
    assert.match(second, /– write_file .*denied/)
    assert.match(second, /│ \+ two\\x1b\[2J\\x1b\[1A\\x1b\[K\\u202e \\x07end +│/)
    // Nothing above was cleared or overwritten.
    assert.match(second, /^First line\.$/m)
    it.keys('y')
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /^All is done\.$/m)
    assert.equal(last.match(/All is done\./g)?.length, 1)
    assert.match(last, /✓ edit_file .* ms$/m)
    assert.match(last, /3 calls: 2 ok, 1 denied; 2 rounds/)
    assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), `one\n${EVIL}\nthree\n`)
  })

  it('always allows a tool, edits arguments in a line, and keeps what was typed wrongly', async () => {
    const it = await open(
      [
        { calls: [['write_file', { path: 'a1.txt', content: 'x' }]] },
        {
          calls: [
            ['write_file', { path: 'a2.txt', content: 'y' }],
            ['write_file', { path: 'a3.txt', content: 'z' }],
          ],
        },
        { text: 'Done.' },
      ],
      { columns: 50 },
    )
    await it.until(/Run it/)
    it.keys('e')
    await it.until(/Arguments/)
    it.keys('BSpace', 'Enter')
    await it.until(/this is not JSON/)
    it.keys('e')
    await it.until(/Arguments/)
    it.keys('BSpace', 'BSpace', '!"}', 'Enter')
    await it.until(/write_file: allowed with changed arguments[\s\S]*a2\.txt[\s\S]*Run it/)
    it.keys('t')
    const last = await it.until(/^END 0 icanon echo *$/m)
    for (const line of last.split('\n')) assert.ok(line.length <= 50)
    assert.equal(await readFile(join(folder, 'a3.txt'), 'utf8'), 'z')
  })

  it('asks a question with choices and one without', async () => {
    const it = await open([
      { calls: [['ask_user', { question: 'Which week?', choices: ['week 12', 'week 13', '第十四周'] }]] },
      { calls: [['ask_user', { question: 'What name?' }]] },
      { text: 'Thanks.' },
    ])
    await it.until(/3 第十四周/)
    it.keys('Down', 'Down', 'Enter')
    await it.until(/Which week\? ❯ 第十四周[\s\S]*What name\?/)
    it.keys('Zoë 副', 'Left', 'BSpace', 'Enter')
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /What name\? ❯ Zoë副/)
  })

  it('hands the arguments to an editor and takes them back', async () => {
    const editor = join(folder, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n', { mode: 0o755 })
    const it = await open([{ calls: [['write_file', { path: 'e.txt', content: 'before' }]] }, { text: 'Done.' }], {
      env: { EDITOR: editor },
    })
    await it.until(/Run it/)
    it.keys('e')
    await it.until(/^END 0 icanon echo *$/m)
    assert.equal(await readFile(join(folder, 'e.txt'), 'utf8'), 'after')
  })

  it('stops cleanly on Ctrl-C at a question, and gives the terminal back', async () => {
    const it = await open([{ calls: [['write_file', { path: 'n.txt', content: 'x' }]] }])
    await it.until(/Run it/)
    it.keys('C-c')
    const last = await it.until(/^END 130 icanon echo *$/m)
    assert.match(last, /write_file .*cancelled/)
    await assert.rejects(readFile(join(folder, 'n.txt')))
  })

  it('uses colours where they are wanted only', async () => {
    const talk: RecordedRound[] = [{ text: 'Go.', calls: [['read_file', { path: 'a.txt' }]] }, { text: 'Done.' }]
    const plain = await open(talk, { env: { NO_COLOR: '1' } })
    await plain.until(/^END 0 icanon echo *$/m)
    assert.doesNotMatch(plain.text('-e'), /\u001b\[[0-9;]*[1-9][0-9;]*m/)
    plain.close()
    const coloured = await open(talk)
    await coloured.until(/^END 0 icanon echo *$/m)
    assert.match(coloured.text('-e'), /\u001b\[32m✓/)
  })

  it('asks in lines at a terminal that cannot draw, in ASCII where that is all there is', async () => {
    const it = await open([{ calls: [['write_file', { path: 'd.txt', content: EVIL }]] }, { text: 'Done.' }], {
      env: { TERM: 'dumb', LANG: 'C', LC_ALL: 'C' },
    })
    const asked = await it.until(/Run it\? \[Y\/n\]/)
    assert.match(asked, /\+ two\\x1b\[2J/)
    it.keys('maybe', 'Enter')
    await it.until(/Please answer/)
    it.keys('Enter')
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /^\+ write_file/m)
    assert.match(last, /^Done\.$/m)
    assert.equal(await readFile(join(folder, 'd.txt'), 'utf8'), EVIL)
  })

  it('asks at the terminal though stdin is a pipe', async () => {
    await writeFile(
      join(folder, 'decision.json'),
      JSON.stringify({ action: 'call_tool', tool_name: 'write_file', parameters: { path: 'p.txt', content: 'piped' } }),
    )
    const line = `cat decision.json | ${COMMAND.map((word) => `'${word}'`).join(' ')} exec > out.json`
    const opened = new TmuxScreen(['sh', '-c', line], { columns: 80, rows: 30, cwd: folder, env: { XDG_STATE_HOME: state } })
    screen = opened
    await opened.until(/Run it/)
    opened.keys('y')
    await opened.until(/^END 0 icanon echo *$/m)
    assert.equal(await readFile(join(folder, 'p.txt'), 'utf8'), 'piped')
    assert.match(await readFile(join(folder, 'out.json'), 'utf8'), /Created p\.txt/)
  })
})
