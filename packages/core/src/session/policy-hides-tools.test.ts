/** What the policy refuses a role whatever the arguments is not there for it: not listed, found, suggested, named in an error, or run. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { policyOf } from '../../test/policy-words.ts'
import { openSession, type SessionBench, sessionTool } from '../../test/session-bench.ts'
import type { AgentTool, JsonObject } from '../contract/index.ts'

const AREAS = ['billing', 'payroll', 'stock', 'mail', 'deploy']
const VERBS = ['open', 'close', 'list', 'find', 'count', 'export']
const PLACES = ['order', 'invoice', 'report', 'ticket', 'record', 'entry', 'item', 'note', 'user', 'batch']

/** 300 tools in five areas; each role may use two of them. */
const ran: string[] = []
const TOOLS: readonly AgentTool[] = AREAS.flatMap((area) =>
  VERBS.flatMap((verb) =>
    PLACES.map((place) =>
      sessionTool(`${area}_${verb}_${place}`, {
        description: `Use to ${verb} one ${place} of ${area}.`,
        tier: verb === 'open' ? 'core' : 'extended',
        tags: [area],
        effect: verb === 'close' ? 'write' : 'read',
        execute: async () => {
          ran.push(area)
          return `${verb} ${place} of ${area}`
        },
      }),
    ),
  ),
)
const allowed = (role: number): readonly string[] => [AREAS[role] ?? '', AREAS[(role + 1) % AREAS.length] ?? '']
const POLICY = `rules:
${AREAS.map((_, role) => `  - { id: r${role}, effect: deny, who: { roles: [role${role}] }, tags: [${AREAS.filter((area) => !allowed(role).includes(area)).join(', ')}] }`).join('\n')}`

const open = (tools: readonly AgentTool[], role: number, mode: 'on' | 'off'): SessionBench =>
  openSession(tools, {
    policy: policyOf({ organisation: POLICY }),
    principal: { tenantId: 't', userId: 'u', roles: [`role${role}`] },
    catalog: { disclosure: mode },
    loopGuard: false,
  })

/** Everything that a principal can get to see with these names. */
async function heard(bench: SessionBench, names: readonly string[]): Promise<unknown> {
  const said: unknown[] = [bench.session.request(), bench.session.toolOverview()]
  for (const name of names) {
    const asks: readonly (readonly [string, JsonObject])[] = [
      ['search_tools', { query: name }],
      ['search_tools', { query: name.replaceAll('_', ' ') }],
      ['load_skill', { name }],
      ['use_tool', { name, params: {} }],
      ['unload_tool', { name }],
      [name, {}],
      [name.slice(0, -1), {}],
    ]
    for (const ask of asks) said.push((await bench.run(ask)).map(({ id: _id, startedAt: _from, endedAt: _to, ...rest }) => rest))
  }
  said.push(bench.session.request())
  return said
}

describe('300 tools and five roles', () => {
  for (const mode of ['on', 'off'] as const) {
    it(`each role sees what is left to it, as if nothing else were there (tools on demand: ${mode})`, async () => {
      assert.equal(TOOLS.length, 300)
      for (const role of AREAS.keys()) {
        const own = TOOLS.filter((tool) => allowed(role).some((area) => tool.tags?.includes(area)))
        const hidden = TOOLS.filter((tool) => !own.includes(tool))
        assert.deepEqual([own.length, hidden.length], [120, 180])
        await using all = open(TOOLS, role, mode)
        await using left = open(own, role, mode)
        ran.length = 0
        const names = hidden.filter((_, index) => index % 9 === 0).map(({ name }) => name)
        assert.deepEqual(await heard(all, names), await heard(left, names))
        assert.deepEqual(
          ran.filter((area) => !allowed(role).includes(area)),
          [],
          'nothing hidden ran',
        )
        const [mine] = await all.run([own[0]?.name ?? ''])
        assert.equal(mine?.outcome, 'ok')
      }
    })
  }
})
