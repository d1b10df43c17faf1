import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type AgentTool, type CallContext, type JsonObject, ToolOutput } from '@adjutant/core/contract'
import { type TestContext, testContext } from '@adjutant/testkit'
import { createFileTools } from '../src/files/create-file-tools.ts'

/** A workspace in a temporary folder with something outside beside it, and the tools over it. */
export interface FileBench extends AsyncDisposable {
  /** The workspace; its parent is the bench's own, too. */
  readonly root: string
  readonly cx: TestContext
  readonly tools: readonly AgentTool[]
  tool(name: string): AgentTool
  /** Runs a tool; gives its text. */
  call(name: string, input: JsonObject, cx?: CallContext): Promise<string>
  output(name: string, input: JsonObject, cx?: CallContext): Promise<unknown>
  put(path: string, content: string | Uint8Array): Promise<string>
  content(path: string): Promise<Buffer>
}

export async function openFileBench(): Promise<FileBench> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'adjutant-files-')))
  const root = join(parent, 'work')
  await mkdir(root)
  const cx = await testContext()
  const tools = createFileTools({ workspace: root })
  const tool = (name: string): AgentTool => {
    const found = tools.find((candidate) => candidate.name === name)
    if (found === undefined) throw new Error(`no tool ${name}`)
    return found
  }
  const output = (name: string, input: JsonObject, context: CallContext = cx): Promise<unknown> => settled(tool(name), input, context)
  return {
    root,
    cx,
    tools,
    tool,
    output,
    call: async (name, input, context) => textOf(await output(name, input, context)),
    async put(path, content) {
      const file = join(root, path)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
      return file
    },
    content: (path) => readFile(join(root, path)),
    async [Symbol.asyncDispose]() {
      await cx[Symbol.asyncDispose]()
      await rm(parent, { recursive: true, force: true })
    },
  }
}

async function settled(tool: AgentTool, input: JsonObject, cx: CallContext): Promise<unknown> {
  const execution = tool.execute(input, cx)
  if (Symbol.asyncIterator in execution) throw new Error(`${tool.name} is not expected to be a generator`)
  return await execution
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof ToolOutput) return value.parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n')
  throw new Error(`not a text: ${String(value)}`)
}
