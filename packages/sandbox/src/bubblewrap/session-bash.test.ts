/** That a session is a shell: any sequence of runs says what one real bash says when it gets the same lines. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { randomIds, systemClock } from '@adjutant/core'
import fc from 'fast-check'
import { type BubblewrapBackend, bubblewrapBackend } from './bubblewrap-backend.ts'

let backend: BubblewrapBackend
before(() => {
  backend = bubblewrapBackend({ clock: systemClock, ids: randomIds })
})
after(() => backend[Symbol.asyncDispose]())

const name = fc.constantFrom('a', 'b', 'c')
const value = fc.constantFrom('1', 'two', "'three four'", '$a', '"$b$b"', `$((\${#a} + 1))`, "$'t\\tab'")
/** Lines that leave something behind for the next ones, or show what was left. */
const line = fc.oneof(
  fc.tuple(name, value).map(([variable, to]) => `${variable}=${to}`),
  fc.tuple(name, value).map(([variable, to]) => `declare ${variable}=${to}`),
  fc.tuple(name, value).map(([variable, to]) => `export ${variable}=${to}`),
  name.map((variable) => `unset ${variable}`),
  name.map((variable) => `echo "[$${variable}]"`),
  name.map((variable) => `bash -c 'echo "in: $${variable}"'`),
  fc.tuple(name, name).map(([f, variable]) => `f_${f}() { echo "f $1 $${variable}"; ${variable}=changed; return 3; }`),
  name.map((f) => `f_${f} arg`),
  fc.constantFrom('mkdir -p d/e', 'cd d 2>/dev/null', '[ "$PWD" = "$HOME" ] || cd ..', 'cd "$HOME"', `echo "\${PWD#"$HOME"}"`, 'cd -'),
  fc.constantFrom('echo $?', 'false', 'true', '(exit 5)', 'nosuch_command 2>/dev/null', '! true', 'test -n "$a"'),
  fc.constantFrom('break', 'continue', 'return 2', 'local x=1', 'shift 9').map((word) => `${word} 2>/dev/null`),
  fc.constantFrom('for i in x y z; do [ $i = y ] && break; echo $i; done', 'echo "$i"', 'while read -r l; do echo "<$l>"; done', 'cat'),
  fc.constantFrom(
    'arr=(1 2 3)',
    'arr+=(4)',
    `echo "\${arr[@]}" \${#arr[@]}`,
    'mapfile -t arr < <(echo x; echo y)',
    'set -- p q',
    'echo "$# $*"',
  ),
  fc.constantFrom('shopt -s nullglob', 'echo *.none', 'set -f', 'set +f', 'set -u; set +u', 'IFS=:', 'unset IFS', 'x=1:2; echo $x'),
  fc.constantFrom(
    'alias hi="echo hi"',
    'shopt -s expand_aliases',
    'hi 2>/dev/null',
    'echo out; echo more',
    "printf '%s' unended",
    'echo é ü 漢',
  ),
  fc.constantFrom(
    'exec 5>fd5; echo to5 >&5; exec 5>&-; cat fd5',
    'trap "echo trapped" USR1; kill -USR1 $$',
    'cat <<X\nhere $a\nX',
    'if true; then echo yes; fi',
  ),
)

describe('a session of bash', () => {
  it('says what one bash says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 7 }), async (runs) => {
        const codes = runs.map((lines) => lines.join('\n'))
        const folder = mkdtempSync(join(tmpdir(), 'adjutant-real-bash-'))
        try {
          await using box = await backend.open({ env: { HOME: '/workspace' } })
          const said: string[] = []
          for (const code of codes) {
            const report = await box.run({ lang: 'bash', session: true, code })
            assert.equal(report.stateLost, undefined, code)
            said.push(`${Buffer.from(report.stdout)}|${report.exitCode}`)
          }
          // One bash gets each run at its top level, and a mark with what became of it.
          const script = codes.map((code) => `eval ${quoted(code)} </dev/null; last=$?; printf '|%s\\0' $last; (exit $last)`).join('\n')
          const real = spawnSync('/usr/bin/bash', ['-c', script, 'bash'], {
            cwd: folder,
            encoding: 'utf8',
            env: { PATH: '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
          })
          const expected = real.stdout.split('\0').slice(0, -1)
          assert.deepEqual(
            said.map((one) => one.replaceAll('/workspace', '~')),
            expected.map((one) => one.replaceAll(folder, '~')),
            real.stderr,
          )
        } finally {
          rmSync(folder, { recursive: true })
        }
      }),
      { numRuns: 25 },
    )
  })
})

function quoted(code: string): string {
  return `'${code.replaceAll("'", "'\\''")}'`
}
