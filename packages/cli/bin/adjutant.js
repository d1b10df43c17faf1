#!/usr/bin/env node
// The door of the command. Written in old syntax on purpose: on a Node that cannot read the rest it must still be able to
// say so in one line. Everything else is in dist/, made from src/.
// biome-ignore-start lint/style/useNodejsImportProtocol: old Node knows no node: names
import { existsSync } from 'fs'
import { dirname, join } from 'path'
import { fileURLToPath, pathToFileURL } from 'url'

// biome-ignore-end lint/style/useNodejsImportProtocol: see above

var NEEDED = [22, 19]
var entry = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', 'entry.js')
var version = process.versions.node.split('.').map(Number)

if (version[0] < NEEDED[0] || (version[0] === NEEDED[0] && version[1] < NEEDED[1])) {
  process.stderr.write(
    'adjutant needs Node ' +
      NEEDED.join('.') +
      ' or newer and this is Node ' +
      process.versions.node +
      ': install a newer one (https://nodejs.org), or in this repository run "npm ci" and then "npx adjutant"\n',
  )
  process.exitCode = 2
} else if (!existsSync(entry)) {
  process.stderr.write('adjutant is not built yet: run "npm run build" in the root of the repository first\n')
  process.exitCode = 2
} else {
  import(pathToFileURL(entry).href).catch((error) => {
    process.stderr.write(`error INTERNAL: ${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  })
}
