/** What tests of the code tools share: real boxes, the tools over them, and a call of one by its name. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { randomIds, systemClock } from '@adjutant/core'
import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  isJsonObject,
  type JsonObject,
  type ReadCommand,
  ToolOutput,
} from '@adjutant/core/contract'
import { openSandboxes, type Sandboxes } from '@adjutant/sandbox'
import { type TestContext, testContext } from '@adjutant/testkit'
import { type CodeTools, type CodeToolsOptions, createCodeTools } from '../src/code/create-code-tools.ts'
import { openBashReader } from '../src/commands/index.ts'

/** For tests that need programs of the system. */
export const skip = existsSync('/usr/bin/bwrap') ? false : 'bubblewrap is not installed'

export interface Said {
  readonly text: string
  readonly isError: boolean
  readonly structured: JsonObject
  readonly images: readonly string[]
}

export interface CallOptions {
  readonly of?: CodeTools
  readonly cx?: CallContext
}

export class CodeBench {
  readonly sandboxes: Sandboxes
  readonly code: CodeTools
  readonly cx: TestContext
  readonly #readBash: ReadCommand
  /** All that were made: one that a failed test leaves open would keep the process alive. */
  readonly #made: CodeTools[] = []

  private constructor(sandboxes: Sandboxes, readBash: ReadCommand, cx: TestContext) {
    this.sandboxes = sandboxes
    this.#readBash = readBash
    this.cx = cx
    this.code = this.make()
  }

  static async open(): Promise<CodeBench> {
    const sandboxes = openSandboxes({ clock: systemClock, ids: randomIds })
    return new CodeBench(sandboxes, await openBashReader(), await testContext())
  }

  /** Tools over the same boxes, with other options. */
  make(options: Partial<CodeToolsOptions> = {}): CodeTools {
    const made = createCodeTools({ sandboxes: this.sandboxes, readBash: this.#readBash, ...options })
    this.#made.push(made)
    return made
  }

  toolOf(name: string, of: CodeTools = this.code): AgentTool {
    const tool = of.tools.find((one) => one.name === name)
    assert.ok(tool)
    return tool
  }

  async call(name: string, input: JsonObject, options: CallOptions = {}): Promise<Said> {
    const output: unknown = await this.toolOf(name, options.of).execute(input, options.cx ?? this.cx)
    if (typeof output === 'string') return { text: output, isError: false, structured: {}, images: [] }
    assert.ok(output instanceof ToolOutput)
    const { structured } = output
    return {
      text: output.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
      isError: output.isError,
      structured: structured !== undefined && isJsonObject(structured) ? structured : {},
      images: output.parts.flatMap((part) => (part.type === 'image' ? [part.mimeType] : [])),
    }
  }

  bash(command: string, more: JsonObject = {}): Promise<Said> {
    return this.call('bash', { command, ...more })
  }

  async close(): Promise<void> {
    await Promise.all(this.#made.map((made) => made.close()))
    await this.sandboxes.close()
    await this.cx[Symbol.asyncDispose]()
  }
}

export async function errorOf(work: Promise<unknown>): Promise<AdjutantError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(AdjutantError.isInstance(error))
  return error
}
