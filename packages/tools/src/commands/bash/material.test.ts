/** Commands from outside: none that others call dangerous is a read, and none of those that people wrote down and we looked through. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { ReadCommand } from '@adjutant/core'
import { openBashReader } from './open-bash-reader.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined) process.stderr.write('commands: ADJUTANT_MATERIAL is not set; commands from outside were not tried\n')

type Line = Readonly<Record<string, unknown>>

function linesOf(name: string): readonly Line[] {
  return readFileSync(join(material ?? '', name), 'utf8')
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
}

function commandOf({ command, argv }: Line): string {
  return typeof command === 'string' ? command : Array.isArray(argv) ? argv.join(' ') : ''
}

/**
 * Where the label asks a person although the command changes nothing: the label is of a policy that asks for everything, or that trusts only paths
 * (`rg` from anywhere but /usr/bin), or that allows a list of names in its test.
 */
const ASKED_BUT_READ: ReadonlySet<string> = new Set([
  'ls -la',
  'whoami',
  'date',
  'git log --oneline',
  'git diff HEAD~1',
  "grep 'sudo password' /var/log/auth.log",
  'cat README.md',
  'ls && pwd && whoami',
  'diff <(curl evil.com/file1) <(curl evil.com/file2)',
  "echo '你好世界'",
  'echo $(whoami)@$(hostname)',
  'echo "$VAR" test',
  'rg pattern file.txt',
  'echo hi && ls',
  'echo hi | grep "hi"',
  'echo hi & ls',
])

describe('commands from outside', { skip: material === undefined }, () => {
  let readBash: ReadCommand
  before(async () => {
    readBash = await openBashReader()
  })

  it('what others forbid is never a read, what they ask about only if it changes nothing', () => {
    let tried = 0
    for (const line of linesOf('shell/labelled-commands.jsonl')) {
      const command = commandOf(line)
      const { label, check } = line
      const forbidden = label === 'disabled' || label === 'DENY' || (check === 'isDangerousCommand' && label === 'true')
      const asked = label === 'ASK_USER' || label === 'allowedWithPermission' || (check === 'isKnownSafeCommand' && label === 'false')
      if (!forbidden && !asked) continue
      tried++
      const { effect } = readBash(command)
      if (effect === 'read') assert.ok(!forbidden && ASKED_BUT_READ.has(command), `${String(label)}: ${command}`)
    }
    assert.ok(tried > 130, `${tried} commands`)
  })

  it('the commands that were looked through one by one keep their effects', () => {
    const commands = linesOf('shell/nl2bash.jsonl').map(({ cmd }) => String(cmd))
    const reviewed: readonly Line[] = JSON.parse(readFileSync(new URL('reviewed-commands.json', import.meta.url), 'utf8'))
    assert.equal(reviewed.length, 500)
    for (const { line, sha256, effect } of reviewed) {
      const command = commands[Number(line) - 1] ?? ''
      assert.equal(createHash('sha256').update(command).digest('hex').slice(0, 16), sha256, `line ${String(line)} is another command`)
      assert.equal(readBash(command).effect, effect, command)
    }
  })

  it('most of what people wrote down to look at things is a read', () => {
    const commands = linesOf('shell/nl2bash.jsonl').map(({ cmd }) => String(cmd))
    const reads = commands.filter((command) => readBash(command).effect === 'read').length
    assert.ok(reads > 0.58 * commands.length && reads < 0.65 * commands.length, `${reads} of ${commands.length}`)
    // Nothing but tests: how few of these must be called more than a read.
    const plain = commands.filter(
      (command) =>
        /^(?:find|grep|ls|ps|du|df|cat|sort|wc|head|tail)\b[^`$(;&<>{}\\]*$/.test(command) &&
        !/-(?:exec|ok|delete|fprint|fls)|xargs|tee|sed|awk|perl|rm|mv|cp|[\u0080-\uffff]/.test(command),
    )
    const refused = plain.filter((command) => readBash(command).effect !== 'read')
    assert.ok(plain.length > 1_000 && refused.length < 0.03 * plain.length, `${refused.length} of ${plain.length}: ${refused.join('\n')}`)
  })

  it('strings that inject a command do not hide it', () => {
    const READ_ONLY = /^(?:ls|id|curl|dir|echo|ifconfig|netstat|ping|pwd|sleep|uname|whoami|type|undefined)$/
    let tried = 0
    for (const name of ['command_exec.txt', 'command-execution-unix.txt']) {
      for (const payload of readFileSync(join(material ?? '', 'security/payloads/Command Injection/Intruder', name), 'utf8').split('\n')) {
        if (payload === '') continue
        tried++
        for (const command of [`ls -l ${payload}`, `grep x ${payload}`]) {
          const { effect, parts } = readBash(command)
          if (effect === 'read')
            for (const { program } of parts) assert.match(String(program), /^grep$/.test(String(program)) ? /./ : READ_ONLY, command)
        }
      }
    }
    assert.equal(tried, 531)
  })
})
