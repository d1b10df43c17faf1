import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type RecordedRound, recording } from '../../test/recording.ts'
import { COMMAND } from '../../test/run-command.ts'
import { TmuxScreen, tmuxMissing } from '../../test/tmux-screen.ts'

/** Notes what it was asked to run, and runs nothing. */
const SHELL = `import { appendFileSync } from 'node:fs'
export const metadata = {
  name: 'run_shell',
  description: 'Use for running a command. Not for files.',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'], additionalProperties: false },
  permission: 'dangerous',
}
export async function execute({ command }) {
  appendFileSync('ran.txt', JSON.stringify(command) + '\\n')
  return 'ran'
}
`

/** Tells progress until there is a file \`go\`. */
const TICK = `import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
export const metadata = {
  name: 'tick',
  description: 'Use for counting. Not for time.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  permission: 'read_only',
}
export async function* execute() {
  for (let count = 1; !existsSync('go'); count += 1) {
    yield { message: 'tick ' + count + '\\u001b[2J' }
    await pause(10)
  }
  return 'done'
}
`

let folder = ''
let home = ''
let screen: TmuxScreen | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adjutant-approvals-'))
  home = await mkdtemp(join(tmpdir(), 'adjutant-home-'))
  await mkdir(join(folder, 'tools'))
  await writeFile(join(folder, 'tools/run_shell.mjs'), SHELL)
  await writeFile(join(folder, 'tools/tick.mjs'), TICK)
  await config('')
})
afterEach(async () => {
  screen?.close()
  screen = undefined
  await rm(folder, { recursive: true, force: true })
  await rm(home, { recursive: true, force: true })
})

function config(more: string): Promise<void> {
  const commands = "commands: [{tools: ['run_*'], argument: command, language: bash}]"
  return writeFile(join(folder, 'adjutant.yaml'), `tools: { modules: [./tools] }\n${commands}\n${more}\n`)
}

interface Look {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

async function open(rounds: readonly RecordedRound[], { columns = 80, rows = 24, env = {} }: Look = {}): Promise<TmuxScreen> {
  await writeFile(join(folder, 'talk.jsonl'), recording(rounds))
  const opened = new TmuxScreen([...COMMAND, 'run', 'Do it.', '--model', 'replay:talk.jsonl'], {
    columns,
    rows,
    cwd: folder,
    env: {
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      ADJUTANT_REPLAY_PACE: '0',
      EDITOR: '',
      VISUAL: '',
      ...env,
    },
  })
  screen = opened
  return opened
}

const shell = (command: string): readonly [string, unknown] => ['run_shell', { command }]
const ran = async (): Promise<readonly string[]> =>
  (await readFile(join(folder, 'ran.txt'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line))

const FOUR: readonly RecordedRound[] = [
  { calls: [shell('ls && rm -rf build'), shell('git status\nrm -rf dist\nls'), shell('ls && rm -rf build'), shell('rm -rf 全部')] },
  { text: 'Done.' },
]
const FOUR_COMMANDS = ['ls && rm -rf build', 'git status\nrm -rf dist\nls', 'ls && rm -rf build', 'rm -rf 全部']
/** The box is whole and alone: nothing above was scrolled away or left behind. */
function boxes(text: string): number {
  assert.equal(text.match(/[╭+]─|^\+-/gm)?.length, 1, text)
  return text.match(/╰─|^\+-/gm)?.length ?? 0
}

const skip = tmuxMissing()

describe('approvals at a terminal', { skip, timeout: 120_000 }, () => {
  it('mark what is dangerous, take no Enter for it, and let all that match run once all were shown', async () => {
    const it = await open(FOUR)
    const first = await it.until(/Run it\? \[y\/n\]/)
    assert.match(first, /│ run_shell {2}DANGEROUS {2}1 of 4 {2}module: /)
    assert.match(first, /│ asked by mode\/ask: run_shell may do harm/)
    assert.match(first, /│ command {2}ls && rm -rf build +│\n│ {16}\^ deletes files, which cannot be undone +│/)
    assert.match(first, /Answers 1 identical call as well/)
    assert.match(first, /2 other calls of run_shell wait: m lists all/)
    assert.equal(boxes(first), 1)
    // Reverse video on the dangerous command, green on the one that reads.
    assert.match(it.text('-e'), /\u001b\[32mls\u001b[^m]*m[^│]*\u001b\[[0-9;]*7[0-9;]*m(\u001b\[31m)?rm -rf build/)
    it.keys('Enter')
    await it.until(/Enter answers nothing here/)
    it.keys('m')
    const list = await it.until(/All 4 calls of run_shell that wait/)
    for (const part of ['1 of 4', '2 of 4', '3 of 4', 'identical to the first', 'rm -rf dist']) assert.ok(list.includes(part), part)
    it.keys('Down', 'Down', 'Down', 'Down', 'y')
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /run_shell: this and 3 more allowed once each/)
    assert.deepEqual(await ran(), FOUR_COMMANDS)
  })

  it('fit a window of 40 by 12, where nothing is allowed before it was read', async () => {
    const it = await open(FOUR, { columns: 40, rows: 12 })
    assert.equal(boxes(await it.until(/e edit {2}n no {2}v view/)), 1)
    it.keys('m')
    assert.equal(boxes(await it.until(/All 4 calls[\s\S]*below/)), 1)
    it.keys('y')
    assert.equal(boxes(await it.until(/above[\s\S]*Nothing is allowed unseen/)), 1)
    await assert.rejects(ran())
    it.keys('Escape')
    await it.until(/Run it/)
    it.keys('n')
    assert.equal(boxes(await it.until(/Why not\?/)), 1)
    it.keys('all of it', 'Enter')
    // The identical one got the same answer: two are left.
    await it.until(/1 of 2[\s\S]*Run it/)
    assert.match(it.text('-S', '-50'), /denied, and 1\s+identical/)
    it.keys('n')
    await it.until(/Why not\?/)
    it.keys('Enter')
    await it.until(/rm -rf 全部[\s\S]*Run it/)
    it.keys('y')
    await it.until(/^END 0 icanon echo *$/m)
    assert.deepEqual(await ran(), ['rm -rf 全部'])
  })

  it('point at what is dangerous where there are no colours', async () => {
    const it = await open(FOUR, { columns: 200, rows: 50, env: { NO_COLOR: '1' } })
    const first = await it.until(/Run it/)
    assert.match(first, /│ command {2}ls && rm -rf build +│\n│ {16}\^{12} deletes files, which cannot be undone +│/)
    assert.doesNotMatch(it.text('-e'), /\u001b\[[0-9;]*[1-9][0-9;]*m/)
    it.keys('m')
    const list = await it.until(/run all 4/)
    assert.match(list, /│ command {2}rm -rf 全部 +│\n│ {10}\^{11} deletes/)
    it.keys('y')
    await it.until(/^END 0 icanon echo *$/m)
    assert.equal((await ran()).length, 4)
  })

  it('ask in lines with the same care', async () => {
    const it = await open(FOUR, { env: { TERM: 'dumb', LC_ALL: 'C.UTF-8' } })
    const first = await it.until(/Run it\? \[y\/n\] *$/)
    assert.match(first, /^ {2}command {2}ls && rm -rf build\n {17}\^{12} deletes files, which cannot be undone$/m)
    it.keys('Enter')
    await it.until(/Enter answers nothing here[\s\S]*Run it\? \[y\/n\] *$/)
    it.keys('m', 'Enter')
    await it.until(/4 of 4[\s\S]*Run all 4\? \[y\/N\] *$/)
    it.keys('y', 'Enter')
    await it.until(/^END 0 icanon echo *$/m)
    assert.deepEqual(await ran(), FOUR_COMMANDS)
  })

  it('keep an answer for always in the file that was shown, and then do not ask again', async () => {
    const talk: readonly RecordedRound[] = [{ calls: [shell('rm -rf build')] }, { text: 'Done.' }]
    const it = await open(talk, { columns: 100 })
    await it.until(/a always/)
    it.keys('a')
    const pages = await it.until(/Esc back/)
    assert.ok(pages.replaceAll(/ *│\n│ */g, '').includes(`${join(folder, '.adjutant/policy.yaml')} (this project)`), pages)
    assert.ok(pages.includes(join(home, 'config/adjutant/policy.yaml')), pages)
    assert.match(pages, /3 allow run_shell, effect dangerous, with command exactly as shown, and no other argument/)
    it.keys('3')
    await it.until(/this exact call is always allowed for you, everywhere[\s\S]*^END 0 icanon echo *$/m)
    assert.match(
      await readFile(join(home, 'config/adjutant/policy.yaml'), 'utf8'),
      /tools: run_shell[\s\S]*equals: rm -rf build[\s\S]*otherArguments: false/,
    )
    it.close()
    const again = await open(talk)
    assert.doesNotMatch(await again.until(/^END 0 icanon echo *$/m), /Run it/)
    assert.equal((await ran()).length, 2)
    again.close()
    const other = await open([{ calls: [shell('rm -rf dist')] }, { text: 'Done.' }])
    await other.until(/Run it/)
  })

  it('close the box of a question that nobody answered in time, and say so', async () => {
    await config('limits: { approvalTimeoutMs: 1500 }')
    const it = await open([{ calls: [shell('rm -rf build')] }, { text: 'Done.' }])
    await it.until(/Run it/)
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /! run_shell: nobody answered in time, it is not run/)
    assert.match(last, /– run_shell .*expired/)
    assert.doesNotMatch(last, /╰|Run it/)
    await assert.rejects(ran())
  })

  it('say in lines as well that a question is gone', async () => {
    await config('limits: { approvalTimeoutMs: 1500 }')
    const it = await open([{ calls: [shell('rm -rf build')] }, { text: 'Done.' }], { env: { TERM: 'dumb' } })
    const last = await it.until(/^END 0 icanon echo *$/m)
    assert.match(last, /Run it\? \[y\/n\] *\n! run_shell: nobody answered in time, it is not run/)
  })

  it('write out a command of 64 KiB before it may run, with its dangerous part shown at once', async () => {
    const command = `echo ${'x'.repeat(40_000)}; rm -rf /; echo ${'y'.repeat(25_000)}\u001b[2J`
    const it = await open([{ calls: [shell(command)] }, { text: 'Done.' }])
    const first = await it.until(/Run it/)
    assert.match(first, /… \d+ characters …/)
    assert.equal(boxes(first), 1)
    it.keys('y')
    const second = await it.until(/All of the call is above now/)
    assert.equal(boxes(second), 1)
    assert.ok(it.text('-S', '-2000').includes('\\x1b[2J'))
    it.keys('y')
    await it.until(/^END 0 icanon echo *$/m)
    assert.deepEqual(await ran(), [command])
  })

  it('are not torn by what goes on meanwhile', async () => {
    const it = await open([
      {
        calls: [
          ['ask_user', { question: 'Which week?', choices: ['week 12', 'week 13'] }],
          ['tick', {}],
        ],
      },
      { text: 'Done.' },
    ])
    await it.until(/week 13[\s\S]*Enter/)
    const progress = await it.until(/tick \d{2,}\\x1b\[2J[\s\S]*Which week\?/)
    assert.equal(boxes(progress), 1)
    assert.equal(progress.match(/Which week\?/g)?.length, 2, progress)
    it.keys('Down')
    const moved = await it.until(/❯ 2 week 13/)
    assert.equal(boxes(moved), 1)
    await writeFile(join(folder, 'go'), '')
    it.keys('Enter')
    await it.until(/^END 0 icanon echo *$/m)
  })
})
