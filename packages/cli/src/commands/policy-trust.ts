/** `adjutant policy trust`: a person agrees to the policy that came with a workspace. Writes outside of the workspace and nowhere else. */
import { resolve } from 'node:path'
import { AdjutantError, addTrust, documentDigests, policyPlaces, readPolicyFile, readTrust } from '@adjutant/core'
import type { Command } from 'commander'
import { type CliIo, write, writeJson } from '../cli-io.ts'
import { writeColumns } from './listing.ts'
import { counted, scopeOf } from './policy-check.ts'

const HELP = `
A policy that lies in a workspace comes with its files: until you agree, its rules can make things stricter and nothing else.
Agreeing holds for the rules as they are now; one that changes by a letter has to be agreed to again. Read them before.
With --json one document: {"file","agreed":[rule ids]}. Exit: 0 agreed, 1 there is no such file, 2 it is broken.

Example:
  adjutant policy check
  adjutant policy trust --workspace .`

export function addPolicyTrustCommand(policy: Command, io: CliIo): void {
  policy
    .command('trust')
    .description('agree to the policy that came with a workspace')
    .argument('[file]', 'another policy file of the workspace (default: .adjutant/policy.yaml)')
    .option('--workspace <folder>', 'the folder whose policy is meant (default: this one)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, options: Readonly<Record<string, unknown>>) => {
      const workspace = resolve(io.cwd, typeof options.workspace === 'string' ? options.workspace : '.')
      const places = policyPlaces({ workspace, env: io.env })
      const file = name === undefined ? places.project : resolve(io.cwd, name)
      const document = await readPolicyFile(file, file === places.project ? 'project' : undefined)
      if (document === undefined) {
        throw new AdjutantError('NOT_FOUND', `${file}: there is no policy`, { hint: 'Name the folder with --workspace, or the file.' })
      }
      const known = await readTrust(places.trust, file)
      const digests = documentDigests(document)
      await addTrust(places.trust, file, digests)
      const fresh = document.rules.filter((_, index) => !known.has(digests[index] ?? ''))
      if (options.json === true) {
        await writeJson(io.stdout, { file, agreed: fresh.map(({ id }) => id) })
        return
      }
      await writeColumns(
        io,
        fresh.map((rule) => [rule.effect, rule.id, scopeOf(rule)]),
      )
      const freshDefault = document.default !== undefined && !known.has(digests[document.rules.length] ?? '')
      const agreed = `Agreed to ${counted(fresh.length, freshDefault)}, which stand above your own rules`
      const said = fresh.length === 0 && !freshDefault ? 'Nothing new' : agreed
      await write(io.stderr, `${said}: noted in ${places.trust}\n`)
    })
}
