/** Owns `python` and `javascript`: code that nobody reads before it runs, by itself or in an interpreter that keeps its variables. */
import type { AgentTool, Sandbox, SandboxLanguage } from '@adjutant/core/contract'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { flagField, textField } from '../input-fields.ts'
import type { CodeToolContext } from './code-tool-context.ts'
import { runCode } from './run-code.ts'

/** Plots are drawn without a screen, and what a library keeps goes where it may write. */
function pythonEnvironment({ temporary = '/tmp' }: Sandbox): Readonly<Record<string, string>> {
  return { MPLBACKEND: 'Agg', MPLCONFIGDIR: temporary, XDG_CACHE_HOME: temporary, PYTHONUNBUFFERED: '1' }
}

export function pythonTool(context: CodeToolContext): AgentTool {
  return programTool(context, {
    name: 'python',
    lang: 'python',
    description:
      `Run Python 3 code in the sandbox. Use for: computing, tables, plots. Not for: starting programs (bash does). ${context.surroundings} ` +
      'Print what you want to see. Save a plot as a .png file and it is shown. bash sees the same files, but neither reaches a server of the other.',
    example: 'import csv\nprint(sum(float(r["price"]) for r in csv.DictReader(open("orders.csv"))))',
    env: pythonEnvironment,
  })
}

export function javascriptTool(context: CodeToolContext): AgentTool {
  return programTool(context, {
    name: 'javascript',
    lang: 'js',
    description:
      'Run JavaScript in the sandbox. Use for: quick computing, text and JSON; it starts the fastest. Not for: npm packages. Print with console.log; files.read(path), files.write(path, text) and files.list() are there, modules are not. ' +
      (context.isShared ? context.surroundings : 'It has no network, and files of its own: bash and python do not see them.'),
    example: 'console.log([3, 1, 2].sort().join())',
    env: () => ({}),
  })
}

interface ProgramTool {
  readonly name: string
  readonly lang: SandboxLanguage
  readonly description: string
  readonly example: string
  readonly env: (sandbox: Sandbox) => Readonly<Record<string, string>>
}

function programTool(context: CodeToolContext, tool: ProgramTool): AgentTool {
  const { name, lang, env } = tool
  return {
    name,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: {
        code: { type: 'string', minLength: 1, description: 'The code.', examples: [tool.example] },
        session: { type: 'boolean', description: 'Keep variables for later calls that set this too. Default false: by itself.' },
        timeout_ms: context.timeoutSchema,
      },
      required: ['code'],
      additionalProperties: false,
      examples: [{ code: tool.example }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: context.codeEffect,
    repeatable: false,
    untrusted: context.untrusted,
    endSession: context.endSession,
    limits: context.limits,
    execute: (input, cx) => {
      const run = { lang, code: textField(input, 'code'), session: flagField(input, 'session'), timeoutMs: context.timeoutOf(input) }
      return context.boxes.use(cx, lang, (box) => runCode(box, { ...run, env: env(box.sandbox) }, cx, context))
    },
  }
}
