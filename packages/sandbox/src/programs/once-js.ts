/**
 * Owns the program that waits in a box for JavaScript and runs it once: as a CommonJS module where it is one, else as an ECMAScript module, so that
 * `import` and `await` work at the top. The code has no file of its own; its name is in the folder where it runs, so that it finds modules there.
 */
export const ONCE_JS = `
{
  const fs = require('node:fs'), Module = require('node:module'), vm = require('node:vm'), url = require('node:url')
  // What is written waits until it is taken, as other programs do: else a loop that prints fills the memory, and an exit loses the rest.
  for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true)
  try {
    fs.closeSync(199)
  } catch {}
  const parts = []
  for (;;) {
    const part = Buffer.allocUnsafe(65536)
    const length = fs.readSync(198, part)
    if (length === 0) break
    parts.push(part.subarray(0, length))
  }
  fs.closeSync(198)
  const frame = Buffer.concat(parts)
  if (frame.length === 0) process.exit(125)
  let at = 0
  const field = () => {
    const end = frame.indexOf(0, at)
    const text = frame.toString('utf8', at, end)
    at = end + 1
    return text
  }
  field()
  field()
  field()
  const cwd = field()
  fs.closeSync(0)
  // The lowest free number is given: the one just closed.
  fs.openSync(field(), 'r')
  if (cwd !== '') {
    try {
      process.chdir(cwd)
    } catch (error) {
      console.error(error.message)
      process.exit(1)
    }
  }
  for (let left = Number(field()); left > 0; left--) process.env[field()] = field()
  field()
  const code = frame.toString('utf8', at)
  const filename = process.cwd() + '/code.js'
  process.argv.length = 1
  let isScript = true
  try {
    new vm.Script(Module.wrap(code), { filename })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    isScript = false
  }
  const module = new Module(filename)
  module.filename = filename
  module.paths = Module._nodeModulePaths(process.cwd())
  if (isScript) module._compile(code, filename, 'commonjs')
  else {
    const name = url.pathToFileURL(filename).href
    globalThis.require = Module.createRequire(filename)
    Module.registerHooks({
      resolve: (specifier, context, next) => (specifier === name ? { url: name, format: 'module', shortCircuit: true } : next(specifier, context)),
      load: (address, context, next) => (address === name ? { format: 'module', source: code, shortCircuit: true } : next(address, context)),
    })
    import(name)
  }
}
`
