import { isFileName, isLibraryFile, isPseudoFile, type Place, placeOf, tailOf } from './place.ts'

/**
 * Owns: the lines of stack traces, as JavaScript engines, Python, Java and its relatives, .NET, Go, Rust, Ruby, PHP, Dart, Elixir, Perl, Lua
 * and the sanitizers of C print them. Told apart by how a line begins, so that each line is looked at by one reader.
 */

export interface Frame extends Place {
  /** Of Python the last frame is the innermost, of all others the first. */
  readonly order: 'first' | 'last'
  /** `library`: not the user's own file. `none`: text without a file (`[eval]`, `<stdin>`). */
  readonly owner: 'user' | 'library' | 'none'
}

/** `line` without spaces around it. */
export function frameOf(line: string): Frame | undefined {
  switch (line.charCodeAt(0)) {
    case 0x46: // F
      return pythonFrame(line)
    case 0x61: // a
      return line.startsWith('at ') ? atFrame(line.slice(3)) : otherFrame(line)
    case 0x23: // #
      return numberedFrame(line)
    case 0x276f: // ❯
    case 0x203a: // ›
      return endFrame(line.slice(1).trim(), '')
    case 0x28: // (
      return elixirFrame(line) ?? otherFrame(line)
    case 0x65: // e
      return line.startsWith('eval at ') ? evalFrame(line) : otherFrame(line)
    default:
      return otherFrame(line)
  }
}

function made(place: Place | undefined, order: Frame['order'], qualifier = ''): Frame | undefined {
  if (place === undefined) return undefined
  const owner = isPseudoFile(place.file) ? 'none' : isLibraryFile(place.file) || isLibraryName(qualifier) ? 'library' : 'user'
  return { ...place, order, owner }
}

/** Classes and functions that come with the language or a framework, where the frame says no path. */
function isLibraryName(name: string): boolean {
  return /^(?:async )?(?:new )?(?:[\w.@$-]{1,60}\/)?(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|org\.(?:junit|springframework|apache|gradle|eclipse|mortbay|hibernate|jetbrains|testng|mockito|scalatest)|io\.netty|android|com\.android|akka|System|Microsoft|core::|std::|alloc::|<?core |<?std )(?:\.|::|\b(?=::))/.test(
    name,
  )
}

function pythonFrame(line: string): Frame | undefined {
  const found = /^File "([^"]{1,400})", line (\d{1,7})/.exec(line)
  return found === null ? undefined : made(placeOf(found[1] ?? '', Number(found[2])), 'last')
}

/** `f (file:1:2)`, `file:1:2`, `a.b.C.d(C.java:50)`, `A.B() in c:/a.cs:line 33`, `./src/main.rs:5:9`. */
function atFrame(given: string): Frame | undefined {
  const text = given.startsWith('async ') ? given.slice(6) : given
  const dotnet = text.lastIndexOf(' in ')
  if (dotnet !== -1) {
    const place = text.slice(dotnet + 4)
    const lineMark = place.lastIndexOf(':line ')
    const tail = lineMark === -1 ? tailOf(place) : tailOf(`${place.slice(0, lineMark)}:${place.slice(lineMark + 6)}`)
    if (tail !== undefined) return made(placeOf(tail.before, tail.line, tail.column), 'first', text)
  }
  const perl = /^(.{1,400}) line (\d{1,7})\.?$/.exec(text)
  if (perl !== null) return isFileName(perl[1] ?? '') ? made(placeOf(perl[1] ?? '', Number(perl[2])), 'first') : undefined
  if (text.includes('(eval at ')) return evalFrame(text)
  const open = text.indexOf(' (')
  if (open !== -1 && text.endsWith(')')) return endFrame(text.slice(open + 2, -1), text)
  const java = text.endsWith(')') ? text.indexOf('(') : -1
  if (java > 0) return endFrame(text.slice(java + 1, -1), text)
  // Java adds the archive behind the frame: at a.B.c(B.java:3) ~[b.jar:1.0]
  const archive = text.indexOf(') ')
  if (archive > 0 && text.lastIndexOf('(', archive) > 0) return endFrame(text.slice(text.lastIndexOf('(', archive) + 1, archive), text)
  return endFrame(text, '')
}

function endFrame(text: string, qualifier: string): Frame | undefined {
  const tail = tailOf(text)
  if (tail === undefined) return undefined
  let file = tail.before
  // vitest: ❯ name file:1:2
  const space = qualifier === '' ? file.lastIndexOf(' ') : -1
  if (space !== -1 && isFileName(file.slice(space + 1)) && !/^(?:\/|\.{1,2}[\\/]|[A-Za-z]:[\\/]|file:)/.test(file))
    file = file.slice(space + 1)
  if (!isFileName(file) && !isPseudoFile(file) && !/^(?:node:|internal\/|dart:|[\w-]+\/)/.test(file)) return undefined
  return made(placeOf(file, tail.line, tail.column), 'first', qualifier)
}

/** Code made at run time: the innermost parentheses say which file made it. */
function evalFrame(text: string): Frame | undefined {
  const open = text.lastIndexOf(' (')
  const inner = open === -1 ? '' : text.slice(open + 2)
  const close = inner.indexOf(')')
  return close === -1 ? undefined : endFrame(inner.slice(0, close), text)
}

/** PHP `#0 /a.php(9): f()`, Dart `#0 main (file:///a.dart:1:2)`, sanitizers and debuggers `#0 0x4f in main /a.c:1:2`. */
function numberedFrame(line: string): Frame | undefined {
  const space = line.indexOf(' ')
  if (space < 2 || space > 6) return undefined
  const text = line.slice(space).trim()
  const php = /^([^()]{1,400})\((\d{1,7})\):? /.exec(`${text} `)
  if (php !== null && isFileName(php[1] ?? '')) return made(placeOf(php[1] ?? '', Number(php[2])), 'first')
  const open = text.lastIndexOf('(')
  if (open !== -1 && text.endsWith(')')) {
    const dart = endFrame(text.slice(open + 1, -1), text)
    if (dart !== undefined) return dart
  }
  const debuggerAt = text.lastIndexOf(' at ')
  const tail = tailOf(debuggerAt === -1 ? text : text.slice(debuggerAt + 4))
  if (tail === undefined) return undefined
  const file = debuggerAt === -1 ? lastWord(tail.before) : tail.before
  return isFileName(file) ? made(placeOf(file, tail.line, tail.column), 'first') : undefined
}

function lastWord(text: string): string {
  // `in main /home/a b/x.c`: a path begins where a slash follows a space.
  const path = text.indexOf(' /')
  return path === -1 ? text.slice(text.lastIndexOf(' ') + 1) : text.slice(path + 1)
}

/** `(app 0.1.0) lib/a.ex:12: A.f/1` */
function elixirFrame(line: string): Frame | undefined {
  const found = /^\(([\w.-]{1,60}) [\w.-]{1,30}\) ([^:]{1,300}):(\d{1,7}): /.exec(line)
  if (found === null || !isFileName(found[2] ?? '')) return undefined
  const frame = made(placeOf(found[2] ?? '', Number(found[3])), 'first')
  return frame !== undefined && /^(?:elixir|stdlib|kernel|ex_unit|mix|logger)$/.test(found[1] ?? '')
    ? { ...frame, owner: 'library' }
    : frame
}

function otherFrame(line: string): Frame | undefined {
  return goFrame(line) ?? rubyFrame(line) ?? rustPanic(line) ?? phpPlace(line) ?? geckoFrame(line) ?? operaFrame(line)
}

/** `/a/main.go:33 +0x1f`; only the line behind the function's name has the offset, and the innermost `created by` may be without. */
function goFrame(line: string): Frame | undefined {
  const mark = line.indexOf('.go:')
  if (mark === -1) return undefined
  const rest = /^(\d{1,7})(?: \+0x[0-9a-f]{1,16}.*)?$/.exec(line.slice(mark + 4, mark + 200))
  return rest === null ? undefined : made(placeOf(line.slice(0, mark + 3), Number(rest[1])), 'first')
}

/** `a.rb:69:in 'f'`, with `from ` or a gem in front. */
function rubyFrame(line: string): Frame | undefined {
  const mark = line.search(/:\d{1,7}:in [`'"]/)
  if (mark === -1) return undefined
  let file = line.slice(0, mark)
  if (file.startsWith('from ')) file = file.slice(5)
  const number = Number.parseInt(line.slice(mark + 1), 10)
  const gem = /^[\w.-]{1,80} \([\w.-]{1,30}\) /.exec(file)
  if (gem !== null) file = file.slice(gem[0].length)
  const frame = made(placeOf(file, number), 'first')
  return frame === undefined || gem === null ? frame : { ...frame, owner: 'library' }
}

/** `thread 'main' panicked at src/main.rs:2:5:`, and before Rust 1.73 `panicked at 'text', src/main.rs:2:5`. */
function rustPanic(line: string): Frame | undefined {
  const mark = line.indexOf(' panicked at ')
  if (mark === -1) return undefined
  const text = line.slice(mark + 13).replace(/:$/, '')
  const tail = tailOf(text)
  if (tail === undefined) return undefined
  const quoted = tail.before.lastIndexOf(', ')
  const file = quoted === -1 ? tail.before : tail.before.slice(quoted + 2)
  return isFileName(file) ? made(placeOf(file, tail.line, tail.column), 'first') : undefined
}

/** `… in /a.php:60` and `… in /a.php on line 60`. */
function phpPlace(line: string): Frame | undefined {
  const mark = line.lastIndexOf(' in ')
  if (mark === -1) return undefined
  const text = line.slice(mark + 4)
  const worded = /^(\S.{0,399}) on line (\d{1,7})\b/.exec(text)
  if (worded !== null && isFileName(worded[1] ?? '')) return made(placeOf(worded[1] ?? '', Number(worded[2])), 'first')
  const tail = /\.(?:php|phtml|inc|module)(?:\([^)]{0,20}\))?:\d{1,7}$/.test(text) ? tailOf(text) : undefined
  return tail === undefined ? undefined : made(placeOf(tail.before, tail.line), 'first')
}

/** `name@http://host/file.js:1:2`, and Safari's `http://host/file.js:1:2` alone. */
function geckoFrame(line: string): Frame | undefined {
  const last = line.charCodeAt(line.length - 1)
  if (last < 48 || last > 57) return undefined
  let start = /^(?:https?|file|webpack|webpack-internal|app):\/\//.test(line) ? 0 : -1
  if (start === -1) {
    const scheme = line.search(/@(?:https?|file|webpack|webpack-internal|app|resource|moz-extension):\/\//)
    start = scheme === -1 ? line.lastIndexOf('@') + 1 : scheme + 1
    if (start === 0) return undefined
  }
  // Code made at run time: `file.js line 26 > eval:1:30`.
  const made1 = / line (\d{1,7}) > /.exec(line)
  if (made1 !== null) return made(placeOf(line.slice(start, made1.index), Number(made1[1])), 'first')
  const tail = tailOf(line.slice(start))
  if (tail === undefined || /\s/.test(tail.before)) return undefined
  const url = /^\w[\w-]*:\/\//.test(tail.before)
  if (!url && (tail.column === undefined || !/[/\\]/.test(tail.before))) return undefined
  if (url && !/^\w[\w-]*:\/\/[^/]*\/./.test(tail.before)) return undefined
  return made(placeOf(tail.before, tail.line, tail.column), 'first')
}

/** `Line 44 of linked script http://host/file.js`, `… at line 42, column 12 in f() in http://host/file.js:`. */
function operaFrame(line: string): Frame | undefined {
  const old = /^Line (\d{1,7}) of (?:linked|inline#\d{1,4}) script (?:in )?(\S{1,400})/.exec(line)
  if (old !== null) return made(placeOf((old[2] ?? '').replace(/:$/, ''), Number(old[1])), 'first')
  const later = /^(?:Error thrown at|called from) line (\d{1,7}), column (\d{1,7}) in /.exec(line)
  const mark = later === null ? -1 : line.lastIndexOf(' in ')
  if (later === null || mark === -1) return undefined
  return made(placeOf(line.slice(mark + 4).replace(/:$/, ''), Number(later[1]), Number(later[2])), 'first')
}
