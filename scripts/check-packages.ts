/** Fails when a package that is meant to be published would not work for those who install it. Needs a build. */
import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

let faults = 0
for (const file of globSync('packages/*/package.json').sort()) {
  const pkg = JSON.parse(readFileSync(file, 'utf8'))
  const { messages } = await publint({ pkgDir: dirname(file), strict: true })
  for (const message of messages) process.stderr.write(`${pkg.name}: ${formatMessage(message, pkg)}\n`)
  faults += messages.length
}
if (faults > 0) process.exitCode = 1
