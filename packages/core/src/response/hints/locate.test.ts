import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FailureLocation } from '../../contract/result.ts'
import { locate, locationsOf, placesOf } from './locate.ts'

function at(text: string): string | undefined {
  const found = locate(placesOf(text))
  return found === undefined ? undefined : shown(found)
}

function shown({ file, line, column }: FailureLocation): string {
  return column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`
}

/** Text, and the place where its failure lies. */
const CASES: readonly (readonly [language: string, text: string, place: string | undefined])[] = [
  [
    'node',
    'Error: x\n    at f (/srv/app/node_modules/y/i.js:3:4)\n    at g (/srv/app/a.js:7:9)\n    at node:internal/main:1:2',
    '/srv/app/a.js:7:9',
  ],
  ['node, ES module', 'Error: x\n    at file:///srv/my%20app/a.mjs:7:9', '/srv/my app/a.mjs:7:9'],
  ['node on Windows', 'Error: x\n    at f (C:\\my app\\a.js:7:9)', 'C:\\my app\\a.js:7:9'],
  ['node on Windows, URL', 'Error: x\n    at file:///C:/my%20app/a.mjs:7:9', 'C:/my app/a.mjs:7:9'],
  ['node, async', 'Error: x\n    at async Promise.all (index 0)\n    at async g (/srv/a b/c.ts:7:9)', '/srv/a b/c.ts:7:9'],
  ['node, without a file', 'Error: x\n    at [eval]:1:7\n    at node:internal/vm:2:3', undefined],
  ['node, eval', 'Error: x\n    at eval (eval at run (/srv/a.js:7:9), <anonymous>:1:1)', '/srv/a.js:7:9'],
  ['bun', 'error: x\n      at f (/srv/a.ts:7:9)', '/srv/a.ts:7:9'],
  ['firefox', 'f@http://localhost/a.js:7:9\n@http://localhost/b.js:1:1', 'http://localhost/a.js:7:9'],
  [
    'python',
    'Traceback (most recent call last):\n  File "/srv/a.py", line 2, in <module>\n  File "/srv/lib.py", line 7, in f\n  File "/usr/lib/python3/dist-packages/x.py", line 9, in g\nE: x',
    '/srv/lib.py:7',
  ],
  [
    'python, text of a command',
    'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n  File "/usr/lib/python3.11/json/decoder.py", line 3, in f\nE: x',
    undefined,
  ],
  ['pytest', '    def test_a():\n>       assert 1 == 2\nE       assert 1 == 2\n\ntest_a.py:7: AssertionError', 'test_a.py:7'],
  [
    'java',
    'E: x\n\tat java.base/java.util.A.f(A.java:3)\n\tat com.acme.App.run(App.java:7)\n\tat com.acme.App.main(App.java:2)',
    'App.java:7',
  ],
  ['java, with archives', 'E: x\n\tat com.acme.App.run(App.java:7) ~[app.jar:1.0]', 'App.java:7'],
  [
    'java, cause',
    'E: x\n\tat com.acme.A.a(A.java:1)\nCaused by: F: y\n\tat java.util.B.b(B.java:2)\n\tat com.acme.C.c(C.java:7)\n\t... 3 more',
    'C.java:7',
  ],
  ['java, only natives', 'E: x\n\tat a.B.c(Native Method)\n\tat a.B.d(Unknown Source)', undefined],
  ['kotlin', 'Exception in thread "main" E\n\tat MainKt.main(Main.kt:7)', 'Main.kt:7'],
  ['scala', 'E\n\tat scala.collection.List.map(List.scala:3)\n\tat acme.App$.main(App.scala:7)', 'App.scala:7'],
  [
    '.net',
    'E: x\n   at System.String.F()\n   at A.B.C() in C:\\my app\\A.cs:line 7\n   at A.Main() in C:\\my app\\M.cs:line 2',
    'C:\\my app\\A.cs:7',
  ],
  ['mono', 'E: x\n  at A.B (Int32 a) [0x00007] in /srv/a b/A.cs:7 ', '/srv/a b/A.cs:7'],
  [
    'go',
    'panic: x\n\ngoroutine 1 [running]:\npanic(0x1)\n\t/usr/local/go/src/runtime/panic.go:5 +0x1\nmain.f()\n\t/srv/go/src/acme/a.go:7 +0x2\n',
    '/srv/go/src/acme/a.go:7',
  ],
  ['rust', "thread 'main' panicked at 'x', src/main.rs:7:9\nnote: run with", 'src/main.rs:7:9'],
  [
    'rust, backtrace',
    'stack backtrace:\n   0: f\n             at /rustc/1/library/core/src/x.rs:1:2\n   1: app::g\n             at ./src/lib.rs:7:9',
    './src/lib.rs:7:9',
  ],
  ['rustc', 'warning: unused\n --> src/a.rs:1:1\n  |\nerror[E0308]: mismatched types\n --> src/b.rs:7:9\n  |', 'src/b.rs:7:9'],
  ['ruby', "a.rb:7:in `f': x (RuntimeError)\n\tfrom a.rb:9:in `<main>'", 'a.rb:7'],
  ['ruby 3.4', "/usr/lib/ruby/gems/3.4/gems/x/lib/x.rb:1:in 'X#f': y\n\tfrom /srv/a.rb:7:in 'Object#g'", '/srv/a.rb:7'],
  [
    'php',
    'PHP Fatal error:  Uncaught Exception: x in /srv/a.php:7\nStack trace:\n#0 /srv/b.php(9): f()\n#1 {main}\n  thrown in /srv/a.php on line 7',
    '/srv/a.php:7',
  ],
  ['dart', '#0      List.[] (dart:core-patch/growable_array.dart:151:2)\n#1      main (file:///srv/a.dart:7:9)', '/srv/a.dart:7:9'],
  ['elixir', '** (E) x\n    (elixir 1.15.0) lib/enum.ex:1: Enum.f/1\n    (app 0.1.0) lib/a.ex:7: A.g/1', 'lib/a.ex:7'],
  ['swift', "main.swift:7:9: error: cannot find 'x' in scope", 'main.swift:7:9'],
  ['perl', "Can't locate X at a.pl line 7.", 'a.pl:7'],
  ['lua', 'lua: a.lua:7: attempt to call a nil value\nstack traceback:', 'a.lua:7'],
  ['asan', '    #0 0x4f in f /srv/a.c:7:9\n    #1 0x5f in main /srv/a.c:20:1', '/srv/a.c:7:9'],
  ['gdb', '#0  0x00 in f (x=1) at /srv/a.c:7\n#1  main () at /srv/a.c:9', '/srv/a.c:7'],
  ['gcc, warning first', 'a.c:1:1: warning: x\na.c:7:9: error: y', 'a.c:7:9'],
  ['gcc, spaces and colons', '/srv/a b/c:d.c:7:9: error: y', '/srv/a b/c:d.c:7:9'],
  ['gcc, relative with a space', 'my app/a.c:7:9: error: y', 'my app/a.c:7:9'],
  ['gcc on Windows', 'C:\\a b\\c.c:7:9: error: y', 'C:\\a b\\c.c:7:9'],
  ['tsc', 'src/a.ts(7,9): error TS2304: x', 'src/a.ts:7:9'],
  ['javac', 'src/A.java:7: error: ; expected', 'src/A.java:7'],
  ['maven', '[ERROR] /srv/A.java:[7,9] cannot find', '/srv/A.java:7:9'],
  ['kotlinc', 'e: /srv/A.kt: (7, 9): Unresolved reference: x', '/srv/A.kt:7:9'],
  ['eslint', '\n/srv/a.js\n  7:9  error  x  rule\n', '/srv/a.js:7:9'],
  ['bash', 'a.sh: line 7: x: command not found', 'a.sh:7'],
  ['terraform', '│   on main.tf line 7, in resource "a" "b":', 'main.tf:7'],
  ['workflow command', '::error file=src/a.ts,line=7,col=9::x', 'src/a.ts:7:9'],
  ['cmake', 'CMake Error at CMakeLists.txt:7 (find_package):', 'CMakeLists.txt:7'],
  ['vitest', ' FAIL  a.test.ts > x\n ❯ f a.test.ts:7:9', 'a.test.ts:7:9'],
  ['times are no places', '12:30:45 started\n2026-01-01T10:20:30 x\n10:20 y', undefined],
  ['hosts are no places', 'connect ECONNREFUSED db.prod:5432\nhttp://localhost:3000/\nexample.org:443: x\n127.0.0.1:80: y', undefined],
]

describe('the place of a failure', () => {
  for (const [language, text, place] of CASES) {
    it(language, () => {
      assert.equal(at(text), place)
      assert.equal(at(text.replaceAll('\n', '\r\n')), place, 'with Windows line ends')
    })
  }

  it('gives all places', () => {
    assert.deepEqual(locationsOf('a.c:1:2: warning: x\na.c:7: error: y\n    at f (/b.js:3:4)\n    at [eval]:1:1').map(shown), [
      'a.c:1:2',
      'a.c:7',
      '/b.js:3:4',
    ])
  })

  it('holds a bounded number of frames of an endless recursion, the last of Python', () => {
    const text = `${'  File "/srv/a.py", line 3, in f\n'.repeat(30_000)}  File "/srv/b.py", line 7, in g\n`
    assert.equal(at(text), '/srv/b.py:7')
    assert.ok(placesOf(text).frames.length <= 5_000)
  })
})
