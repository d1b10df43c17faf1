/** `${NAME}` in configuration strings. A value from the environment is never expanded again and never shown in a message. */
import { AdjutantError } from '@adjutant/core'

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/

/**
 * `${NAME}` → its value; `${NAME:-default}` → the default where it is unset or empty; `$${` → `${` as it stands.
 *
 * @param place names where a part of the text stands, for messages
 * @throws AdjutantError CONFIG_INVALID for a variable that is not set or no name at all
 * @example
 * ```ts
 * expandVariables('Bearer ${TOKEN}', { TOKEN: 'abc' }, () => 'adjutant.yaml:4:9') // 'Bearer abc'
 * ```
 */
export function expandVariables(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  place: (part: string) => string,
): string {
  return text.replace(REFERENCE, (whole: string, inside: string | undefined, close: string | undefined) => {
    if (inside === undefined) return '${'
    const [, name, fallback] = close === '}' ? (NAME.exec(inside) ?? []) : []
    if (name === undefined) {
      throw new AdjutantError('CONFIG_INVALID', `${place(whole)}: ${JSON.stringify(whole.slice(0, 40))} is no variable reference`, {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what is to be written
        hint: 'Write ${NAME} or ${NAME:-default}; write $${ where ${ itself is meant.',
      })
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    throw new AdjutantError('CONFIG_INVALID', `${place(whole)}: the environment variable ${name} is not set`, {
      hint: `Set it (export ${name}=…), or give a default: \${${name}:-default}.`,
    })
  })
}
