import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
const PAGES = ['README.md', 'README.zh-CN.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/**/*.md', { cwd: ROOT })]

function blocksOf(page: string): readonly string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? '')
}

/** What a fragment uses and the text around it has made. */
const MAKINGS: Readonly<Record<string, string>> = {
  registry: "import type { Registry } from '@adjutant/core'\ndeclare const registry: Registry\n",
  session: "import type { Session } from '@adjutant/core'\ndeclare const session: Session\n",
  query: 'declare function query<T>(...values: readonly unknown[]): Promise<T[]>\n',
}

function makings(code: string): string {
  const makes = (name: string): boolean => new RegExp(`(const|function|using) ${name}\\b`).test(code)
  return Object.entries(MAKINGS)
    .filter(([name]) => new RegExp(`\\b${name}\\b`).test(code) && !makes(name))
    .map(([, text]) => text)
    .join('')
}

describe('the pages', () => {
  it('have TypeScript that compiles against the packages', () => {
    // Below the packages, so that their names resolve as they do for a user.
    const folder = join(ROOT, 'packages/cli/dist/.docs')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const places: string[] = []
    for (const page of PAGES) {
      for (const [index, code] of blocksOf(page).entries()) {
        // A fragment may use what the text around it has made.
        const known = page.endsWith('README.zh-CN.md') ? '// @ts-nocheck\n' : ''
        const name = `${page.replaceAll(/[/.]/g, '_')}_${index}.ts`
        writeFileSync(join(folder, name), `${known}${makings(code)}${code}\nexport {}\n`)
        places.push(name)
      }
    }
    assert.ok(places.length > 3, 'no example was found')
    const config = {
      extends: join(ROOT, 'tsconfig.base.json'),
      compilerOptions: {
        noEmit: true,
        composite: false,
        declaration: false,
        declarationMap: false,
        noUnusedLocals: false,
        rewriteRelativeImportExtensions: false,
        lib: ['es2024', 'esnext.array', 'esnext.disposable', 'esnext.iterator', 'dom'],
      },
      include: ['*.ts'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const run = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript7/bin/tsc'), '-p', folder], { encoding: 'utf8' })
    rmSync(folder, { recursive: true, force: true })
    assert.equal(run.stdout, '')
    assert.equal(run.status, 0)
  })

  it('link only to what is there', () => {
    const broken: string[] = []
    for (const page of PAGES) {
      for (const [, target = ''] of readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (!existsSync(join(ROOT, dirname(page), target))) broken.push(`${page} → ${target}`)
      }
    }
    assert.deepEqual(broken, [])
  })
})
