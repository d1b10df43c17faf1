/** What holds for all commands. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { ReadCommand } from '@adjutant/core'
import fc from 'fast-check'
import { openBashReader } from './open-bash-reader.ts'
import { type Effect, isWorse, worstEffect } from './verdict.ts'

let readBash: ReadCommand

before(async () => {
  readBash = await openBashReader()
})

const KNOWN: readonly (readonly [string, Effect])[] = [
  ['ls -la', 'read'],
  ['grep -r foo .', 'read'],
  ['git status', 'read'],
  ['echo hi > f', 'write'],
  ['cp a b', 'write'],
  ['npm install', 'write'],
  ['rm -rf x', 'dangerous'],
  ['sudo rm x', 'dangerous'],
  ['kill 1', 'dangerous'],
]
const known = fc.constantFrom(...KNOWN)

/** The same name for a shell, written otherwise. */
const disguise = (name: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom('plain', 'escaped', 'single', 'double', 'empty', 'ansi', 'coded', 'continued'), {
      minLength: name.length,
      maxLength: name.length,
    })
    .map((ways) =>
      ways
        .map((way, at) => {
          const char = name.charAt(at)
          if (way === 'escaped') return `\\${char}`
          if (way === 'single') return `'${char}'`
          if (way === 'double') return `"${char}"`
          if (way === 'empty') return `''${char}""`
          if (way === 'ansi') return `$'${char}'`
          if (way === 'coded') return `$'\\x${char.charCodeAt(0).toString(16)}'`
          if (way === 'continued') return `${char}\\\n`
          return char
        })
        .join(''),
    )

describe('openBashReader, for all commands', () => {
  it('no spelling of a dangerous program makes it less', () => {
    const spelled = fc.constantFrom('rm', 'sudo', 'kill', 'mkfs', 'shutdown', '/bin/rm').chain(disguise)
    fc.assert(
      fc.property(spelled, (name) => {
        assert.equal(readBash(`${name} -rf /`).effect, 'dangerous', name)
      }),
      { numRuns: 400 },
    )
  })

  it('no spelling of an option that writes makes it less', () => {
    fc.assert(
      fc.property(fc.constantFrom('-o', '--output=f', '-uo').chain(disguise), (option) => {
        assert.notEqual(readBash(`sort ${option} f`).effect, 'read', option)
      }),
      { numRuns: 300 },
    )
  })

  it('commands that are joined are as bad as the worst of them', () => {
    const joint = fc.constantFrom(';', ' && ', ' || ', '\n', ' & ', ' ; ! ')
    fc.assert(
      fc.property(fc.array(known, { minLength: 1, maxLength: 5 }), joint, (commands, between) => {
        const command = commands.map(([text]) => text).join(between)
        assert.equal(readBash(command).effect, worstEffect(commands.map(([, effect]) => effect)), command)
      }),
      { numRuns: 200 },
    )
  })

  it('a command inside another is never lost', () => {
    const around = fc.constantFrom(
      'echo $(@)',
      'echo "$(@)"',
      '(@)',
      '{ @; }',
      'if true; then @; fi',
      'for i in a; do @; done',
      'cat <(@)',
      'ls | (@)',
      'x=$(@)',
      'time @',
      'cat <<E\n$(@)\nE\n',
      `echo ${'$'}{a:-$(@)}`,
      '[[ -n $(@) ]]',
      'case a in *) @;; esac',
    )
    fc.assert(
      fc.property(known, fc.array(around, { minLength: 1, maxLength: 3 }), ([inner, effect], frames) => {
        const command = frames.reduce((text, frame) => frame.replace('@', () => text), inner)
        assert.ok(!isWorse(effect, readBash(command).effect), command)
      }),
      { numRuns: 300 },
    )
  })

  it('wrappers add nothing that makes less of a command', () => {
    const wrapper = fc.constantFrom(
      'env A=1 ',
      'timeout 5 ',
      'nice -n 3 ',
      'command ',
      'xargs ',
      'xargs -0 -n1 ',
      'sudo -u x ',
      'nohup ',
      'stdbuf -oL ',
      'exec ',
      'find . -exec ',
      'time ',
    )
    const plain = fc.constantFrom(...KNOWN.filter(([text]) => !text.includes('>')))
    fc.assert(
      fc.property(plain, fc.array(wrapper, { maxLength: 4 }), ([inner, effect], wrappers) => {
        const command = wrappers.join('') + inner
        assert.ok(!isWorse(effect, readBash(command).effect), command)
      }),
      { numRuns: 300 },
    )
  })

  it('never throws, whatever comes, and stays within the command with its offsets', () => {
    const token = fc.constantFrom(
      ...[
        'ls',
        'rm',
        '$x',
        '$(',
        '`',
        '"',
        "'",
        ';',
        '|',
        '&&',
        '(',
        ')',
        '{',
        '}',
        '<',
        '>',
        '<<E',
        '\n',
        'E\n',
        '\\',
        '$((',
        '))',
        '[[',
        ']]',
        'if',
        'then',
        'fi',
        'for',
        'in',
        'do',
        'done',
        'case',
        'esac',
      ],
      ...[
        '#',
        '!',
        '&',
        '=',
        'a=',
        '${',
        '-c',
        'bash',
        'find',
        '-exec',
        '\\;',
        'awk',
        'sed',
        's/',
        'é',
        '😀',
        '{a,b}',
        '*',
        "$'",
        '~',
        ' ',
        '\t',
        '\ud83d',
        '\\\n',
        '$[',
        '${x%',
        '<<-E',
        '# ',
      ],
    )
    const text = fc.oneof(
      fc.array(token, { maxLength: 24 }).map((tokens) => tokens.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(token, { maxLength: 16 }).map((tokens) => tokens.join(' ')),
    )
    fc.assert(
      fc.property(text, (command) => {
        const { effect, parts, reasons } = readBash(command)
        assert.equal(effect, worstEffect(parts.map((part) => part.effect)))
        assert.ok(!reasons.includes('could not be read'), 'a fault of the reader')
        for (const { start, end } of parts) assert.ok(0 <= start && start <= end && end <= command.length)
      }),
      { numRuns: 3_000 },
    )
  })

  it('gives the same answer twice', () => {
    fc.assert(
      fc.property(fc.array(known, { maxLength: 4 }), (commands) => {
        const command = commands.map(([text]) => text).join(' | ')
        assert.deepEqual(readBash(command), readBash(command))
      }),
      { numRuns: 50 },
    )
  })
})
