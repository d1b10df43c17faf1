import { isJsonObject, type JsonObject, type JsonValue, type Logger, type RegistryProblem } from '../../../contract/index.ts'
import { canonicalJson } from '../../../util/canonical-json.ts'
import { diffDefinitions } from './definition-diff.ts'
import type { ListedTool } from './read-tool.ts'
import type { PinMode } from './server-settings.ts'
import { readState, writeState } from './state-file.ts'

/** What is to be done with a tool, as its definition is. */
export type PinVerdict =
  | { readonly type: 'as-known' }
  /** Its next call is held, for this reason. */
  | { readonly type: 'hold'; readonly reason: string }
  | { readonly type: 'leave-out' }

const AS_KNOWN: PinVerdict = Object.freeze({ type: 'as-known' })
/** A server that has tools without end is not remembered without end; what was remembered stays. */
const MAX_PINS = 20_000

/**
 * Owns which definitions of a server's tools were seen and agreed to. The first definition of a tool is taken as it is: whoever
 * named the server in the configuration agreed to it. Another one later is told of, asked about, or refused, and a tool that went
 * away and came back is compared with what it was. Kept in a file, so that it holds over runs.
 */
export class PinBook {
  readonly #server: string
  readonly #mode: PinMode
  readonly #path: string
  readonly #logger: Logger | undefined
  readonly #known: Map<string, JsonValue>
  readonly #fault: RegistryProblem | undefined
  #saving: Promise<void> = Promise.resolve()

  private constructor(options: PinBookOptions, known: Map<string, JsonValue>, fault: RegistryProblem | undefined) {
    this.#server = options.server
    this.#mode = options.mode
    this.#path = options.path
    this.#logger = options.logger
    this.#known = known
    this.#fault = fault
  }

  /** A file that cannot be read is a problem, and what it held counts as never seen. */
  static async open(options: PinBookOptions): Promise<PinBook> {
    const known = new Map<string, JsonValue>()
    try {
      const kept = await readState(options.path)
      const tools = kept !== undefined && isJsonObject(kept) ? kept.tools : undefined
      if (kept !== undefined && (tools === undefined || !isJsonObject(tools))) throw new Error('it holds no tools')
      for (const [name, definition] of Object.entries(tools ?? {})) known.set(name, definition)
      return new PinBook(options, known, undefined)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const message = `MCP server "${options.server}": the definitions seen before could not be read from ${options.path}: ${why}`
      const hint = 'Look at the tools of this server; they are remembered anew as they are now.'
      return new PinBook(options, known, { code: 'CONFIG_INVALID', source: options.server, message, hint })
    }
  }

  /** Compares tools with what was seen of them. Problems are what a person should read. */
  judge(tools: readonly ListedTool[]): {
    readonly verdicts: ReadonlyMap<string, PinVerdict>
    readonly problems: readonly RegistryProblem[]
  } {
    const verdicts = new Map<string, PinVerdict>()
    const problems: RegistryProblem[] = this.#fault === undefined ? [] : [this.#fault]
    let isNew = false
    for (const tool of tools) {
      const definition = definitionOf(tool)
      const known = this.#known.get(tool.originalName)
      if (known === undefined) {
        if (this.#known.size < MAX_PINS) {
          this.#known.set(tool.originalName, definition)
          isNew = true
        }
      } else if (canonicalJson(known) !== canonicalJson(definition)) {
        const diff = diffDefinitions(known, definition).join('; ')
        verdicts.set(tool.originalName, this.#verdict(tool, diff))
        problems.push(this.#problem(tool, diff))
        if (this.#mode === 'warn') {
          this.#known.set(tool.originalName, definition)
          isNew = true
        }
        continue
      }
      verdicts.set(tool.originalName, AS_KNOWN)
    }
    if (isNew) this.#save()
    return { verdicts, problems }
  }

  /** A person agreed to this definition. */
  approve(tool: ListedTool): void {
    this.#known.set(tool.originalName, definitionOf(tool))
    this.#save()
  }

  /** When all is written that was to be written. Never rejects. */
  settled(): Promise<void> {
    return this.#saving
  }

  #verdict(tool: ListedTool, diff: string): PinVerdict {
    switch (this.#mode) {
      case 'warn':
        return AS_KNOWN
      case 'ask':
        return { type: 'hold', reason: `the server "${this.#server}" changed its tool ${tool.originalName}: ${diff}` }
      case 'refuse':
        return { type: 'leave-out' }
      default:
        return this.#mode satisfies never
    }
  }

  #problem(tool: ListedTool, diff: string): RegistryProblem {
    const what = { warn: '', ask: '; its next call is held until a person agrees', refuse: '; it is left out' }[this.#mode]
    const hint = {
      warn: 'Look whether it still does what you want from it.',
      ask: 'Look whether it still does what you want from it before you agree.',
      refuse: `If the change is right, set "pin": "ask" for this server and call the tool once, or remove ${this.#path}.`,
    }[this.#mode]
    return {
      code: 'TOOL_INVALID',
      source: this.#server,
      tool: tool.originalName,
      message: `MCP server "${this.#server}": the definition of ${JSON.stringify(tool.originalName.slice(0, 100))} is not the one seen before${what}: ${diff}`,
      hint,
    }
  }

  #save(): void {
    this.#saving = this.#saving
      .then(() => writeState(this.#path, { version: 1, tools: Object.fromEntries(this.#known) }))
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        this.#logger?.warn(`MCP server "${this.#server}": its definitions could not be kept in ${this.#path}: ${why}`)
      })
  }
}

export interface PinBookOptions {
  readonly server: string
  readonly mode: PinMode
  readonly path: string
  readonly logger?: Logger | undefined
}

/** All that a model is told of a tool, and all that decides whether its calls are asked about. */
function definitionOf({ description, inputSchema, outputSchema, readOnly, idempotent }: ListedTool): JsonObject {
  return { description, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }), readOnly, idempotent }
}
