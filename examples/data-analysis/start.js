// The door of the example, in syntax that an old Node reads too: it says what to do instead of failing on the first type.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`The example needs Node 22.19 or newer and this is Node ${process.versions.node}: run it with "npm start".\n`)
  process.exitCode = 2
} else {
  import('./start.ts').catch((error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  })
}
