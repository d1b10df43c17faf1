/** Every SKILL.md that is at hand from outside: each loads or has a named reason, and says what its author wrote. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { Registry } from '../../registry.ts'
import { loadSkillFolders } from './load-folder.ts'
import { loadSkill, skillFromText } from './load-skill.ts'

const material = process.env.ADJUTANT_MATERIAL
if (material === undefined)
  process.stderr.write('registry/loaders/skill: ADJUTANT_MATERIAL is not set; skills from outside were not tried\n')
const folder = join(material ?? '', 'skills')

describe('skills from outside', { skip: material === undefined }, () => {
  it('each load, with the description that a YAML reader finds', async () => {
    const counts = { files: 0, loaded: 0, compared: 0, repaired: 0, warned: 0, restricted: 0 }
    const reasons: string[] = []
    for (const file of skillFiles(folder)) {
      counts.files++
      const loaded = await loadSkill(file)
      if (!loaded.ok) {
        reasons.push(loaded.problem.message)
        continue
      }
      counts.loaded++
      const { skill } = loaded
      if (skill.warnings.length > 0) counts.warned++
      if (skill.allowedTools?.length === 0) counts.restricted++
      const expected = descriptionByYaml(readFileSync(file, 'utf8'))
      if (expected === undefined) counts.repaired++
      else {
        counts.compared++
        assert.equal(skill.description, expected, file)
      }
    }
    assert.ok(counts.files > 400, JSON.stringify(counts))
    assert.equal(counts.loaded, counts.files, reasons.join('\n'))
    process.stderr.write(`registry/loaders/skill: ${JSON.stringify(counts)}\n`)
  })

  it('each read from the index, where the file itself is not at hand', () => {
    const counts = { entries: 0, loaded: 0, compared: 0 }
    for (const line of readFileSync(join(folder, 'index.jsonl'), 'utf8').split('\n')) {
      if (line === '') continue
      const { path, frontmatterRaw } = JSON.parse(line)
      const text = `---\n${frontmatterRaw}\n---\nBody`
      const loaded = skillFromText(text, join('/', path))
      counts.entries++
      assert.ok(loaded.ok, loaded.ok ? '' : loaded.problem.message)
      counts.loaded++
      const expected = descriptionByYaml(text)
      if (expected === undefined) continue
      counts.compared++
      assert.equal(loaded.skill.description, expected, path)
    }
    assert.ok(counts.entries > 1_000)
    process.stderr.write(`registry/loaders/skill: index ${JSON.stringify(counts)}\n`)
  })

  it('each come out as reported', async () => {
    const bySource = new Map<string, Awaited<ReturnType<typeof loadSkill>>>()
    for (const file of skillFiles(join(folder, '_from-issues'))) bySource.set(basename(dirname(file)), await loadSkill(file))
    const anime = bySource.get('test-skill')
    assert.ok(anime?.ok)
    assert.equal(anime.skill.description, 'Some description IMPORTANT: Must use anime style')
    assert.match(anime.skill.warnings[0] ?? '', /not valid YAML/)
    const marketing = bySource.get('jaredrhod-marketing')
    assert.ok(marketing?.ok)
    assert.deepEqual(marketing.skill.allowedTools, ['Read'])
    const handoff = bySource.get('handoff-project')
    assert.ok(handoff?.ok)
    assert.equal(handoff.skill.name, 'handoff')
    assert.match(handoff.skill.warnings.join(), /differs from the folder's/)
  })

  it('load together, each collision named', async () => {
    const repositories = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
      .map((entry) => join(folder, entry.name))
    const { skills, tools, problems } = await loadSkillFolders(repositories)
    assert.ok(skills.length > 300)
    assert.deepEqual(new Registry().add(tools, 'skills'), [])
    for (const problem of problems) assert.equal(problem.code, 'TOOL_NAME_TAKEN')
    process.stderr.write(`registry/loaders/skill: together ${skills.length} skills, ${problems.length} hidden by another of their name\n`)
  })
})

function* skillFiles(root: string): Generator<string> {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* skillFiles(join(root, entry.name))
    else if (entry.name.toLowerCase() === 'skill.md') yield join(root, entry.name)
  }
}

/** By a reading of its own; undefined where the front matter is not valid YAML. */
function descriptionByYaml(text: string): string | undefined {
  const [, yaml] = /^\uFEFF?---\s*\n([\s\S]*?)\n---/.exec(text.replaceAll('\r\n', '\n')) ?? []
  if (yaml === undefined) return undefined
  try {
    const { description } = parse(yaml, { logLevel: 'error' })
    return String(description).trim()
  } catch {
    return undefined
  }
}
