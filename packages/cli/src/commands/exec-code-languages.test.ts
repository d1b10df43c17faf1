/** What files, pictures, python, javascript and scripts of skills promise a model, through `exec` with a configuration that asks for them. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { ExecSession } from '../../test/exec-session.ts'

const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

/** Smallest pictures of each kind, in base64. */
const PICTURES = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg==',
  jpeg: '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z',
  gif: 'R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==',
  webp: 'UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=',
}

describe('files and pictures through exec', { skip }, () => {
  let session: ExecSession
  before(async () => {
    session = await ExecSession.open()
  })
  after(() => session[Symbol.asyncDispose]())

  it('are listed with size and type, by what is in them', async () => {
    const { text } = await session.bash(
      "printf 'a,b\\n1,2\\n' > t.csv; printf '%%PDF-1.7\\n' > paper; printf '\\0\\1' > raw.txt; : > none; mkdir sub; echo x > sub/deep.md",
    )
    for (const words of [
      't.csv (text, 8 bytes)',
      'paper (PDF',
      'raw.txt (binary data, 2 bytes)',
      'none (empty, 0 bytes)',
      'sub/deep.md (text, 2 bytes)',
    ])
      assert.ok(text.includes(words), `${words} in ${text}`)
  })

  for (const [kind, data] of Object.entries(PICTURES))
    it(`come back as pictures: ${kind}, whatever the name`, async () => {
      const made = await session.callAsBlocks('python', {
        code: `import base64\nopen("drawn-${kind}.dat", "wb").write(base64.b64decode("${data}"))`,
      })
      assert.match(made.text, /drawn-\w+\.dat \(\w+ image, \d+ bytes, shown\)/)
      const sent = JSON.stringify(session.lines.at(-1))
      assert.ok(sent.includes(`image/${kind}`), sent.slice(0, 400))
      assert.ok(sent.includes(data.slice(0, 40)))
    })

  it('are only told of where a picture is too large for a model', async () => {
    const code = `import base64\nopen("big.png", "wb").write(base64.b64decode("${PICTURES.png}") + b"\\0" * 4_000_000)`
    const { text } = await session.callAsBlocks('python', { code })
    assert.match(text, /big\.png \(PNG image, 3\.8 MiB\)/)
    assert.ok(!JSON.stringify(session.lines.at(-1)).includes('image/png'))
  })
})

describe('python and javascript through exec', { skip }, () => {
  const told: string[] = []
  let session: ExecSession
  before(async () => {
    session = await ExecSession.open({ line: (line) => line.type === 'progress' && told.push(`${line.name}: ${line.message}`) })
  })
  after(() => session[Symbol.asyncDispose]())

  it('tell the last line while they run', async () => {
    await session.call('python', { code: 'print("half way"); import time; time.sleep(0.05); print("done")' })
    await session.call('javascript', { code: 'console.log("js half way")' })
    assert.ok(told.includes('python: half way'), told.join())
    assert.ok(told.includes('javascript: js half way'), told.join())
  })

  it('end at their time, with what they printed', async () => {
    const slow = await session.call('python', { code: 'print("begun")\nwhile True: pass', timeout_ms: 400 })
    assert.match(slow.text, /begun\n\[ended after 400 ms/)
    const spins = await session.call('javascript', { code: 'console.log("begun"); for (;;);', timeout_ms: 300 })
    assert.match(spins.text, /begun\n\[ended after 300 ms/)
    await session.call('python', { code: 'x = 1', session: true })
    const lost = await session.call('python', { code: 'while True: pass', session: true, timeout_ms: 300 })
    assert.match(lost.text, /\[the interpreter that kept variables and the folder has ended/)
    assert.match((await session.call('python', { code: 'print(x)', session: true })).text, /NameError/)
  })

  it('list what they make, each in its own folder', async () => {
    assert.match((await session.call('python', { code: 'open("p.txt", "w").write("abc")' })).text, /^\[files: p\.txt \(text, 3 bytes\)\]$/)
    assert.match((await session.call('javascript', { code: 'files.write("j.txt", "abcd")' })).text, /\[files: j\.txt \(text, 4 bytes\)\]$/)
    assert.equal((await session.bash('ls')).text, 'p.txt')
  })

  it('end what waits for an answer, in the interpreter that stays as well', async () => {
    const asked = await session.call('python', { code: 'answer = input("Go on? ")', session: true })
    assert.match(asked.text, /EOFError[\s\S]*\[nobody can type here/)
    assert.match((await session.call('python', { code: 'print("alive")', session: true })).text, /^alive/)
    const prompts = await session.call('javascript', { code: 'console.log(typeof prompt, typeof process)' })
    assert.equal(prompts.text, 'undefined undefined')
  })
})

describe('run_skill_script through exec', { skip }, () => {
  it('is named by the skill, runs where bash runs, and tells what it makes', async () => {
    await using session = await ExecSession.open({
      config: 'tools: { code: true }\nskills: [./skills]\nloopGuard: false\n',
      files: {
        'skills/drawing/SKILL.md': '---\nname: drawing\ndescription: Draws.\n---\nRun scripts/draw.py.',
        'skills/drawing/scripts/draw.py': `import base64, sys\nprint("drawing", sys.argv[1:], open("given.txt").read().strip())\nopen("d.png", "wb").write(base64.b64decode("${PICTURES.png}"))\n`,
        'skills/drawing/scripts/slow.sh': 'echo begun\nsleep 1000\n',
        'skills/drawing/scripts/ask.sh': 'read -r answer || { echo "no tty present" >&2; exit 1; }\n',
      },
    })
    const { text: instructions } = await session.call('drawing', {})
    assert.match(
      instructions,
      /Run a script among them with run_skill_script \{"skill": "drawing", "script": "its name", "args": \["…"\]\}/,
    )
    await session.bash('echo given > given.txt')
    const drawn = await session.call('run_skill_script', { skill: 'drawing', script: 'scripts/draw.py', args: ['a b'] })
    assert.match(drawn.text, /^drawing \['a b'\] given\n\[files: d\.png \(PNG image, 67 bytes, shown\)\]$/)
    assert.ok(session.lines.some((line) => line.type === 'progress' && String(line.message).startsWith('drawing')))
    assert.match((await session.bash('ls')).text, /d\.png/)
    const slow = await session.call('run_skill_script', { skill: 'drawing', script: 'scripts/slow.sh', timeout_ms: 300 })
    assert.match(slow.text, /begun\n\[ended after 300 ms/)
    const asked = await session.call('run_skill_script', { skill: 'drawing', script: 'scripts/ask.sh' })
    assert.match(asked.text, /\[exit code 1\]\n\[nobody can type here/)
  })

  it('is not promised where there is none', async () => {
    await using session = await ExecSession.open({
      config: 'skills: [./skills]\n',
      files: { 'skills/s/SKILL.md': '---\nname: s\ndescription: x\n---\ny', 'skills/s/a.sh': 'x' },
    })
    assert.match((await session.call('s', {})).text, /cannot be run here: no sandbox is configured/)
  })
})
