import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AdjutantError, type LoadReport } from '../../../contract/index.ts'
import { importReflectedTools } from './import-tools.ts'
import { readReflectedDocument } from './read-document.ts'

/** Some ten thousand tools; more is another file. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * Loads the tools that `adjutant tools build` wrote down, by importing their modules; no compiler is needed. Never rejects:
 * what is wrong with the file, or with one of the modules, is reported.
 *
 * @example
 * ```ts
 * const { tools, problems } = await loadReflectedTools('tools.schema.json')
 * registry.add(tools, 'tools.schema.json')
 * ```
 */
export async function loadReflectedTools(path: string): Promise<LoadReport> {
  const file = resolve(path)
  try {
    const found = await stat(file)
    if (!found.isFile()) throw new AdjutantError('TOOL_INVALID', `${file} is not a file`, { hint: 'Name the file that was built.' })
    if (found.size > MAX_BYTES) {
      throw new AdjutantError('TOO_LARGE', `${file} is ${found.size} bytes long, more than ${MAX_BYTES}`, { hint: 'Build several files.' })
    }
    return await importReflectedTools(readReflectedDocument(parsed(await readFile(file, 'utf8'), file), file), dirname(file))
  } catch (error) {
    const known = AdjutantError.from(error, 'TOOL_INVALID', file)
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return {
      tools: [],
      problems: [
        missing
          ? {
              code: 'TOOL_INVALID',
              source: file,
              message: `${file} does not exist`,
              hint: 'Write it with `adjutant tools build SRC --out FILE`.',
            }
          : { code: known.code, source: file, message: known.message, hint: known.hint },
      ],
    }
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AdjutantError('TOOL_INVALID', `${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      hint: 'Build it anew with `adjutant tools build`.',
      cause: error,
    })
  }
}
