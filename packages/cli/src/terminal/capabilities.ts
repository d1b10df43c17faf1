/** What the terminal on the other end can do, told from the environment and the streams: nothing is written to find out. */
import type { CliIo } from '../cli-io.ts'

type Environment = CliIo['env']

export interface Capabilities {
  /** There is a person who can be asked through stdin. */
  readonly person: boolean
  /** Lines can be redrawn: live lines and boxes. Else plain lines, one after the other. */
  readonly live: boolean
  readonly colour: boolean
  /** Letters beyond ASCII arrive as they are. */
  readonly unicode: boolean
  readonly columns: number
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false'
}

/** FORCE_COLOR goes before NO_COLOR, both before what the stream is (https://no-color.org, https://force-color.org). */
export function wantsColour(env: Environment, stream: { readonly isTTY?: boolean }): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR === '' || isOn(env.FORCE_COLOR)
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  return stream.isTTY === true && env.TERM !== 'dumb' && env.TERM !== undefined
}

function wantsUnicode(env: Environment): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '')
  return locale !== undefined && /utf-?8/i.test(locale)
}

/** Looks at where people's output goes (stderr) and where their answers come from (stdin). */
export function capabilitiesOf(io: Pick<CliIo, 'stdin' | 'stderr' | 'env'>): Capabilities {
  const { env, stdin, stderr } = io
  const person = stdin.isTTY === true && stderr.isTTY === true
  return {
    person,
    live: person && !isOn(env.CI) && !isOn(env.CONTINUOUS_INTEGRATION) && env.TERM !== undefined && env.TERM !== '' && env.TERM !== 'dumb',
    colour: wantsColour(env, stderr),
    unicode: wantsUnicode(env),
    columns: stderr.columns ?? 80,
  }
}
