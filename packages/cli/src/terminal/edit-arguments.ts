/** Lets a person change the arguments of a call: in their editor, or as one line of JSON. What comes back is checked before it counts. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject, type JsonObject } from '@adjutant/core'

export type Edited = { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string }

/** Reads edited arguments: one JSON object. */
export function parseEdited(text: string): Edited {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { ok: false, problem: `this is not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  return isJsonObject(value) ? { ok: true, input: value } : { ok: false, problem: 'the arguments must be one JSON object: { … }' }
}

/** The person's editor as an argument vector; `undefined` when none is set. */
export function editorCommand(env: Readonly<Record<string, string | undefined>>): readonly [string, ...string[]] | undefined {
  const [program, ...args] = (env.VISUAL?.trim() || env.EDITOR || '').split(/\s+/).filter((word) => word !== '')
  return program === undefined ? undefined : [program, ...args]
}

/**
 * Opens the arguments in an editor that owns the terminal until it ends. The file is private and is removed whatever happens.
 * Never rejects for what the editor does: that comes back as `problem`.
 */
export async function editInEditor(command: readonly [string, ...string[]], input: JsonObject): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), 'adjutant-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    await writeFile(file, `${JSON.stringify(input, undefined, 2)}\n`, { mode: 0o600 })
    const [program, ...args] = command
    const problem = await new Promise<string | undefined>((resolve) => {
      const child = spawn(program, [...args, file], { stdio: 'inherit' })
      child.on('error', (error) => resolve(`${program} could not be started: ${error.message}`))
      child.on('exit', (code, signal) => resolve(code === 0 ? undefined : `${program} ended with ${signal ?? code}: nothing was changed`))
    })
    return problem === undefined ? parseEdited(await readFile(file, 'utf8')) : { ok: false, problem }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
