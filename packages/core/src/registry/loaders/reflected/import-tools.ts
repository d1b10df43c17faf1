import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  AdjutantError,
  type AgentTool,
  type CallContext,
  type JsonObject,
  type LoadReport,
  type RegistryProblem,
} from '../../../contract/index.ts'
import { makeTool } from '../make-tool.ts'
import { convertIn } from './convert-in.ts'
import { convertOut } from './convert-out.ts'
import type { ReflectedDocument, ReflectedTool } from './document.ts'

/**
 * Owns the step from what was read of functions to tools that call them. Each module is imported once, in the order of the
 * document; one that fails takes down its own tools only. Modules are named by paths relative to the document's folder: an
 * address or an absolute path is refused, so that a document cannot reach for code of somewhere else by name.
 */

type PlainFunction = (...values: readonly unknown[]) => unknown

/**
 * Makes tools of a document by importing the functions that it names. Never rejects.
 * @param folder what the module paths are relative to
 */
export async function importReflectedTools(document: ReflectedDocument, folder: string): Promise<LoadReport> {
  const modules = new Map<string, readonly ReflectedTool[]>()
  for (const tool of document.tools) modules.set(tool.module, [...(modules.get(tool.module) ?? []), tool])
  const tools: AgentTool[] = []
  const problems: RegistryProblem[] = []
  const taken = new Map<string, string>()
  for (const [path, described] of modules) {
    const file = resolve(folder, path)
    try {
      const exported = await importModule(path, file)
      for (const tool of described) {
        const first = taken.get(tool.name)
        if (first !== undefined) {
          problems.push(
            problem(
              'TOOL_NAME_TAKEN',
              file,
              tool.name,
              `the name is taken by ${first}; this one is left out`,
              'Rename one of them, e.g. with @name.',
            ),
          )
          continue
        }
        try {
          tools.push(toolOf(tool, file, exported))
          taken.set(tool.name, file)
        } catch (error) {
          const known = AdjutantError.from(error, 'TOOL_INVALID')
          problems.push({ code: known.code, source: file, tool: tool.name, message: known.message, hint: known.hint })
        }
      }
    } catch (error) {
      const known = AdjutantError.from(error, 'TOOL_INVALID', file)
      problems.push({ code: 'TOOL_INVALID', source: file, message: known.message, hint: known.hint })
    }
  }
  return { tools, problems }
}

function problem(code: RegistryProblem['code'], source: string, tool: string, message: string, hint: string): RegistryProblem {
  return { code, source, tool, message: `${source}: ${tool}: ${message}`, hint }
}

async function importModule(path: string, file: string): Promise<object> {
  if (!/^\.{1,2}\//.test(path) || path.includes('\0')) {
    throw new AdjutantError('TOOL_INVALID', `the module ${JSON.stringify(path)} is not named by a relative path`, {
      hint: 'Write ./ or ../ and the path of a file; build the document anew.',
    })
  }
  try {
    const exported: unknown = await import(pathToFileURL(file).href)
    if (typeof exported === 'object' && exported !== null) return exported
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    throw new AdjutantError('TOOL_INVALID', `${file}: it could not be imported: ${said.split('\n', 1)[0]}`, {
      hint: hintFor(error),
      cause: error,
    })
  }
  throw new AdjutantError('TOOL_INVALID', `${file}: it exports nothing`)
}

function hintFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' || code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return 'Node runs only TypeScript whose types can be left out, and none in node_modules: compile it, and build the tools with --compiled.'
  }
  if (code === 'ERR_MODULE_NOT_FOUND') {
    return 'Compile it first, or correct the import; Node does not know the path aliases of a tsconfig (use "imports" of package.json).'
  }
  return 'Correct the module; it must load on its own.'
}

function toolOf(described: ReflectedTool, file: string, exported: object): AgentTool {
  const { name, call, convert, definitions = {} } = described
  const run = Object.hasOwn(exported, described.export) ? memberOf(exported, described.export) : undefined
  if (!isFunction(run)) {
    throw new AdjutantError('TOOL_INVALID', `${file}: ${name}: there is no function ${described.export} among its exports`, {
      hint: 'The module changed since the tools were built: build them anew.',
    })
  }
  const argumentsOf = (input: JsonObject): unknown => (convert === undefined ? input : convertIn(convert, input, definitions, ''))
  return makeTool(
    {
      name,
      description: described.description,
      input: described.inputSchema,
      ...(described.outputSchema === undefined ? {} : { outputSchema: described.outputSchema }),
      effect: described.effect,
      ...(described.tier === undefined ? {} : { tier: described.tier }),
      ...(described.lifetime === undefined ? {} : { lifetime: described.lifetime }),
      ...(described.repeatable === undefined ? {} : { repeatable: described.repeatable }),
      ...(described.background === undefined ? {} : { background: described.background }),
      ...(described.tags === undefined ? {} : { tags: described.tags }),
      ...(described.limits === undefined ? {} : { limits: described.limits }),
      // Before anybody is asked: a date that does not exist is no question for a person.
      ...(convert === undefined ? {} : { check: (input: JsonObject) => void argumentsOf(input) }),
      execute: (input: JsonObject, cx: CallContext) => resultOf(run(...positional(call, argumentsOf(input), cx))),
    },
    { kind: 'function', from: file, ...(described.export === name ? {} : { originalName: described.export }) },
  )
}

function memberOf(exported: object, name: string): unknown {
  return new Map<string, unknown>(Object.entries(exported)).get(name)
}

function positional(call: ReflectedTool['call'], input: unknown, cx: CallContext): readonly unknown[] {
  const values: unknown[] = []
  for (const source of call) {
    if (source.from === 'whole') values.push(input)
    else if (source.from === 'context') values.push(cx)
    else if (source.from === 'signal') values.push(cx.signal)
    else {
      const value = isRecord(input) && Object.hasOwn(input, source.name) ? input[source.name] : undefined
      if (source.spread !== true) values.push(value)
      else if (Array.isArray(value)) values.push(...value)
    }
  }
  return values
}

function resultOf(result: unknown): unknown {
  if (isThenable(result)) return Promise.resolve(result).then(convertOut)
  return isGenerator(result) ? converted(result) : convertOut(result)
}

async function* converted(generator: AsyncGenerator<unknown, unknown, void>): AsyncGenerator<unknown, unknown, void> {
  return convertOut(yield* generator)
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return isRecord(value) && Symbol.asyncIterator in value && typeof value.next === 'function' && typeof value.return === 'function'
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

function isFunction(value: unknown): value is PlainFunction {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
