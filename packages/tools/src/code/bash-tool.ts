/**
 * Owns `bash` and `background_jobs`. The command is read before it runs: what it does to the world decides whether somebody is asked, and its dangerous
 * words are marked for whoever is. It runs in the session's own shell.
 */
import { type AgentTool, type ArgumentMark, type Effect, type JsonObject, ownValue, ToolOutput } from '@adjutant/core/contract'
import { BUILT_IN } from '../files/file-tool-context.ts'
import { flagField, optionalText, textField } from '../input-fields.ts'
import type { CodeToolContext } from './code-tool-context.ts'
import { jobHandle, jobOutput, jobStates, startJob, stopJob } from './jobs.ts'
import { runCode } from './run-code.ts'

export function bashTool(context: CodeToolContext): AgentTool {
  return {
    name: 'bash',
    description:
      `Run a bash command in this session's shell in the sandbox. Use for: programs, pipes, tests, git. Not for: what asks somebody to type. ${context.surroundings} ` +
      'Folder, variables and functions stay for the next call. ' +
      'For a server or a long build set background, then look with background_jobs.',
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command; may have several lines.', examples: ['ls -la && wc -l *.csv'] },
        timeout_ms: context.timeoutSchema,
        background: { type: 'boolean', description: 'Start it and go on; background_jobs shows its output and stops it. Default false.' },
      },
      required: ['command'],
      additionalProperties: false,
      examples: [{ command: 'grep -c error log.txt' }, { command: 'python3 -m http.server 8000', background: true }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: (input) => effectOf(context, input),
    repeatable: false,
    untrusted: context.untrusted,
    endSession: context.endSession,
    limits: context.limits,
    marks: (input) => marksOf(context, input),
    execute: (input, cx) => {
      const command = textField(input, 'command')
      const timeoutMs = context.timeoutOf(input)
      const isBackground = flagField(input, 'background')
      const onlyReads = context.readBash(command).effect === 'read'
      return context.boxes.use(cx, 'bash', async (box) => {
        if (!isBackground) return runCode(box, { lang: 'bash', code: command, session: true, timeoutMs, onlyReads }, cx, context)
        const handle = await jobHandle(box, await startJob(box, command, cx), cx)
        const text = `Started ${handle} in the background: background_jobs shows its output and stops it.`
        return new ToolOutput([{ type: 'text', text }], { structured: { job: handle, backend: box.sandbox.backend } })
      })
    },
  }
}

export function backgroundJobsTool(context: CodeToolContext): AgentTool {
  return {
    name: 'background_jobs',
    description:
      'The background jobs of this session. Use for: listing them, showing the output of one, stopping one. Not for: starting one (bash does). Jobs end with the session.',
    inputSchema: {
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['list', 'output', 'stop'], description: 'Default list.' },
        job: { type: 'string', description: 'Which, for output and stop.', examples: ['job_MS1hOGYz.kq1VUbM3zGZb5C8Yl0cFqw'] },
      },
      additionalProperties: false,
      examples: [{ action: 'output', job: 'job_MS1hOGYz.kq1VUbM3zGZb5C8Yl0cFqw' }],
    },
    origin: BUILT_IN,
    tier: 'core',
    lifetime: 'session',
    effect: (input) => (ownValue(input, 'action') === 'stop' ? 'write' : 'read'),
    repeatable: false,
    untrusted: context.untrusted,
    endSession: context.endSession,
    limits: { ...context.limits, loop: { watched: false } },
    execute: (input, cx) => {
      const action = optionalText(input, 'action') ?? 'list'
      const job = optionalText(input, 'job') ?? ''
      return context.boxes.use(cx, 'bash', async (box) => {
        if (action === 'output') return (await jobOutput(box, job, cx)) || '(no output yet)'
        if (action === 'stop') await stopJob(box, job, cx)
        const { jobs, others } = await jobStates(box, cx)
        const lines = [
          ...(await Promise.all(
            jobs.map(async ({ job: one, state }) => `${await jobHandle(box, one, cx)}  ${state}  ${oneLine(one.command)}`),
          )),
          ...others.map(
            ({ pid, command }) => `process ${pid}  running  ${oneLine(command)}  (started with &; kill ${pid} in bash stops it)`,
          ),
        ]
        return lines.length === 0 ? 'There are no background jobs.' : lines.join('\n')
      })
    },
  }
}

function effectOf(context: CodeToolContext, input: JsonObject): Effect {
  const { effect } = context.readBash(textField(input, 'command'))
  return effect === 'read' && flagField(input, 'background') ? 'write' : effect
}

function marksOf(context: CodeToolContext, input: JsonObject): readonly ArgumentMark[] {
  const command = ownValue(input, 'command')
  if (typeof command !== 'string') return []
  return context
    .readBash(command)
    .parts.filter(({ effect }) => effect !== 'read')
    .map(({ start, end, effect, reason }) => ({ path: '/command', start, end, effect, reason }))
}

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, ' ').trim()
  return line.length > 100 ? `${line.slice(0, 99)}…`.toWellFormed() : line
}
