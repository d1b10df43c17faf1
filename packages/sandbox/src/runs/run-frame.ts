/**
 * Owns the form in which a run is handed into a box: fields that end with a zero byte, then the code with its length before it. Every program
 * that waits in a box reads this form. Nothing of it is evaluated but the code.
 */
import { AdjutantError } from '@adjutant/core/contract'

export interface RunFrame {
  /** Comes back with how the run ended. */
  readonly word: string
  /** After so much CPU the kernel ends the process. */
  readonly cpuSeconds?: number
  readonly cwd?: string
  /** In the box: what the code reads. */
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
  readonly code: string
}

/** @throws AdjutantError CONFIG_INVALID for a folder or an environment that cannot be */
export function runFrame(frame: RunFrame): Buffer {
  const env = Object.entries(frame.env)
  checkEnvironment(frame.env)
  const cwd = frame.cwd ?? ''
  if (cwd !== '') checkFolder(cwd)
  // A script with zero bytes in it is none to a shell, which passes over them; here they would end a field.
  const code = Buffer.from(frame.code.replaceAll('\0', ''))
  const fields = [
    '',
    frame.word,
    frame.cpuSeconds?.toString() ?? '',
    cwd,
    frame.stdin,
    String(env.length),
    ...env.flat(),
    String(code.length),
  ]
  return Buffer.concat([Buffer.from(`${fields.join('\0')}\0`), code])
}

/** @throws AdjutantError CONFIG_INVALID */
export function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new AdjutantError('CONFIG_INVALID', `env has the name ${JSON.stringify(name.slice(0, 80))}`, {
        hint: 'Names of variables are letters, digits and _.',
      })
    if (typeof value !== 'string' || value.includes('\0') || value.length > 100_000)
      throw new AdjutantError('CONFIG_INVALID', `env.${name} is no text, has a zero byte in it or more than 100000 characters`, {
        hint: 'Write long values to a file of the workspace.',
      })
  }
}

function checkFolder(cwd: string): void {
  if (cwd.startsWith('/') && !cwd.includes('\0') && cwd.length <= 4096) return
  throw new AdjutantError('CONFIG_INVALID', `cwd is ${JSON.stringify(cwd.slice(0, 80))}`, {
    hint: 'Give an absolute path in the box, e.g. /workspace/src.',
  })
}
