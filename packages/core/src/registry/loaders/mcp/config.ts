import { AdjutantError, isJsonObject } from '../../../contract/index.ts'
import { isTextList, type OAuthSettings, readOAuth, readSettings, type ServerSettings } from './server-settings.ts'

/** A server that is started as a child process and spoken to over its stdin and stdout. */
export interface StdioServerConfig extends ServerSettings {
  /** A program on the PATH, or a path. No shell is involved. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few variables a server gets anyway (PATH, HOME, LANG and the like): the host's secrets stay with the host. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: the host's. */
  readonly cwd?: string
}

/** A server that runs elsewhere, over Streamable HTTP. */
export interface HttpServerConfig extends ServerSettings {
  readonly url: string
  /** Sent with each request, e.g. `Authorization`. Never shown in a message. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: signs in when the server asks for it, unless `headers` has an `Authorization` or there is no state folder. False: never. */
  readonly oauth?: OAuthSettings | boolean
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig

/** One entry of a configuration's `mcpServers`, as far as this loader reads it. @throws AdjutantError CONFIG_INVALID naming the server and the member */
export function readServerConfig(name: string, value: unknown): McpServerConfig {
  const fail = (what: string, hint: string): never => {
    throw new AdjutantError('CONFIG_INVALID', `MCP server ${JSON.stringify(name.slice(0, 100))}: ${what}`, { hint })
  }
  if (name.trim() === '') fail('the name is empty', 'Give the server a name: it becomes a part of the names of its tools.')
  if (!isJsonObject(value)) return fail('is not an object', 'Give { "command": … } for a program or { "url": … } for an address.')
  const shared = readSettings(value, fail)
  if (value.command !== undefined && value.url !== undefined) return fail('has both command and url', 'Keep one of the two.')
  if (value.url !== undefined) {
    const oauth = value.oauth === undefined ? {} : { oauth: readOAuth(value.oauth, fail) }
    return { ...shared, ...oauth, ...readHttp(value.url, value.headers, fail) }
  }
  if (typeof value.command !== 'string' || value.command === '') {
    return fail('has neither command nor url', 'Give { "command": … } for a program or { "url": … } for an address.')
  }
  const { command, args, env, cwd } = value
  if (args !== undefined && !isTextList(args)) return fail('args is not a list of strings', 'Give each argument as a string of its own.')
  if (env !== undefined && !isTextMap(env))
    return fail('env has a value that is not a string', 'Give { "NAME": "value" }, numbers in quotes.')
  if (cwd !== undefined && typeof cwd !== 'string') return fail('cwd is not a string', 'Give the path of a folder.')
  const texts = [command, ...(args ?? []), ...Object.entries(env ?? {}).flat(), cwd ?? '']
  if (texts.some((text) => text.includes('\0'))) return fail('holds a NUL character', 'Remove it: no program can be given one.')
  return {
    ...shared,
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function readHttp(url: unknown, headers: unknown, fail: (what: string, hint: string) => never): HttpServerConfig {
  if (typeof url !== 'string' || !URL.canParse(url)) return fail('url is not an address', 'Give one like https://example.com/mcp.')
  if (!/^https?:$/.test(new URL(url).protocol)) return fail('url is neither http nor https', 'Give one like https://example.com/mcp.')
  if (headers === undefined) return { url }
  if (!isTextMap(headers)) return fail('headers has a value that is not a string', 'Give { "Name": "value" }.')
  try {
    new Headers(headers)
  } catch {
    // The reason quotes the value, which may be a secret.
    return fail('headers holds a name or a value that HTTP does not take', 'Look for line breaks and other special characters.')
  }
  return { url, headers }
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string')
}
