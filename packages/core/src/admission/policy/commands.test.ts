import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { policyOf, requestOf } from '../../../test/policy-words.ts'
import type { CommandReading, ReadCommand } from '../../contract/command.ts'
import { calledByName } from './called-by-name.ts'

describe('commands', () => {
  const table: Readonly<Record<string, CommandReading>> = {
    'git status': {
      effect: 'read',
      reasons: [],
      parts: [{ start: 0, end: 10, effect: 'read', reason: '', program: 'git', words: ['status'] }],
    },
    'git log -n 5; rm x': {
      effect: 'dangerous',
      reasons: [],
      parts: [
        { start: 0, end: 12, effect: 'read', reason: '', program: 'git', words: ['log', '-n', '5'] },
        { start: 14, end: 18, effect: 'dangerous', reason: 'rm deletes files', program: 'rm', words: ['x'] },
      ],
    },
    'git $X': {
      effect: 'dangerous',
      reasons: [],
      parts: [{ start: 0, end: 6, effect: 'dangerous', reason: '', program: 'git', words: [undefined] }],
    },
    './git status': {
      effect: 'write',
      reasons: [],
      parts: [{ start: 0, end: 12, effect: 'write', reason: '', program: 'git', words: ['status'] }],
    },
    'X=1 timeout 5 git status 2>/dev/null': {
      effect: 'read',
      reasons: [],
      parts: [
        { start: 0, end: 3, effect: 'read', reason: 'sets X' },
        { start: 4, end: 24, effect: 'read', reason: '', program: 'git', words: ['status'] },
        { start: 25, end: 36, effect: 'read', reason: 'writes to nowhere' },
      ],
    },
    'find -exec rm': {
      effect: 'dangerous',
      reasons: [],
      parts: [{ start: 0, end: 13, effect: 'dangerous', reason: '', program: 'find', words: ['-exec', 'rm'] }],
    },
    'git status > f': {
      effect: 'write',
      reasons: [],
      parts: [
        { start: 0, end: 10, effect: 'read', reason: '', program: 'git', words: ['status'] },
        { start: 11, end: 14, effect: 'write', reason: 'writes a file' },
      ],
    },
    'X=1': { effect: 'read', reasons: [], parts: [{ start: 0, end: 3, effect: 'read', reason: 'sets X' }] },
    $X: { effect: 'dangerous', reasons: [], parts: [{ start: 0, end: 2, effect: 'dangerous', reason: '' }] },
    '((': { effect: 'dangerous', reasons: ['cannot be parsed'], parts: [] },
  }
  const bash: ReadCommand = (command) => table[command] ?? { effect: 'dangerous', reasons: [], parts: [] }
  const decide = (effect: string, condition: string, command: string, commands = { bash }): boolean =>
    policyOf(
      { user: `rules: [{id: r, effect: ${effect}, when: {command: {command: {language: bash, ${condition}}}}}]` },
      { commands },
    ).decide(requestOf({ command })).rule === 'user/r'

  const rows: readonly (readonly [effect: string, condition: string, command: string, holds: boolean])[] = [
    ['allow', 'programs: git', 'git status', true],
    ['allow', 'programs: git', 'git log -n 5; rm x', false],
    ['deny', 'programs: [rm, dd]', 'git log -n 5; rm x', true],
    ['deny', 'programs: [rm, dd]', 'git status', false],
    ['deny', 'programs: [rm, dd]', '$X', true],
    ['allow', 'programs: "*"', '$X', false],
    ['allow', 'effects: [read]', 'git status', true],
    ['allow', 'effects: [read, write]', '((', false],
    ['deny', 'effects: dangerous', '((', true],
    ['deny', 'programs: rm', '((', true],
    ['allow', 'run: ["git status", "git log **"]', 'git status', true],
    ['allow', 'run: "git sta*"', 'git status', true],
    ['allow', 'run: git', 'git status', false],
    ['allow', 'run: "git *"', 'git $X', false],
    ['allow', 'run: "git **"', 'git $X', false],
    ['allow', 'run: "git **", effects: [dangerous]', 'git $X', true],
    ['deny', 'run: "git push **"', 'git $X', true],
    ['allow', 'run: "git status"', './git status', false],
    ['deny', 'run: "git status"', './git status', true],
    ['allow', 'run: "git status"', 'X=1 timeout 5 git status 2>/dev/null', true],
    ['allow', 'programs: find', 'find -exec rm', false],
    ['allow', 'programs: find, effects: dangerous', 'find -exec rm', true],
    ['allow', 'programs: git', 'X=1', false],
    ['allow', 'programs: git', 'git status > f', false],
    ['deny', 'programs: rm', 'git status > f', false],
    ['deny', 'programs: git', 'X=1', false],
  ]
  for (const [effect, condition, command, holds] of rows) {
    it(`${effect} ${condition}: ${command} → ${holds}`, () => assert.equal(decide(effect, condition, command), holds))
  }

  it('without a reader hold no allow and every deny', () => {
    const policy = (effect: string): string =>
      policyOf({ user: `rules: [{id: r, effect: ${effect}, when: {command: {command: {language: sql, effects: read}}}}]` }).decide(
        requestOf({ command: 'x' }),
      ).rule
    assert.equal(policy('allow'), 'mode/ask')
    assert.equal(policy('deny'), 'user/r')
  })
})

describe('a program called by its name', () => {
  for (const text of [
    'git log',
    'time git log',
    'env -i A=1 git log',
    'nice -n 5 git log',
    '\\git log',
    'g""it log',
    "$'git' log",
    'exec git log',
  ]) {
    it(`is called so in ${text}`, () => assert.ok(calledByName(text, 'git')))
  }
  for (const text of [
    './git log',
    '"./git" log',
    '/tmp/git log',
    'sudo git log',
    'timeout 5 ./git log',
    'eval git log',
    'xargs git log',
    '',
  ]) {
    it(`is not called so in ${text}`, () => assert.ok(!calledByName(text, 'git')))
  }
})
