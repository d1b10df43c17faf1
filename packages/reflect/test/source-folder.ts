/** A temporary folder of sources, gone when it is disposed. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface SourceFolder extends AsyncDisposable {
  readonly path: string
  write(name: string, text: string): Promise<string>
}

export async function sourceFolder(files: Readonly<Record<string, string>> = {}): Promise<SourceFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-reflect-')))
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(path, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    return file
  }
  // Without a package.json above it Node would guess what kind of modules these are, and say so.
  await write('package.json', '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) await write(name, text)
  return { path, write, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
