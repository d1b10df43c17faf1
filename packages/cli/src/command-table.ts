/** All commands, with what `adjutant --help` says of each. The modules behind them are imported only when typed. */
import type { Command } from 'commander'
import type { CliIo } from './cli-io.ts'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  load(): Promise<(program: Command, io: CliIo) => void>
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'run',
    summary: 'let a model work on a task: the agent loop in the terminal',
    load: async () => (await import('./commands/run.ts')).addRunCommand,
  },
  {
    name: 'exec',
    summary: 'carry out a model decision read from stdin, and print the results',
    load: async () => (await import('./commands/exec.ts')).addExecCommand,
  },
  {
    name: 'decode',
    summary: 'only decode stdin: what did the model ask for?',
    load: async () => (await import('./commands/decode.ts')).addDecodeCommand,
  },
  {
    name: 'tools',
    summary: 'list the tools that there are, or show one',
    load: async () => (await import('./commands/tools.ts')).addToolsCommand,
  },
  {
    name: 'skills',
    summary: 'list skills, show one, or check whether it is fit',
    load: async () => (await import('./commands/skills.ts')).addSkillsCommand,
  },
  {
    name: 'sandbox',
    summary: 'run code in a box, and say which boxes this machine can make',
    load: async () => (await import('./commands/sandbox.ts')).addSandboxCommand,
  },
  {
    name: 'clip',
    summary: 'show what of stdin a model would get',
    load: async () => (await import('./commands/clip.ts')).addClipCommand,
  },
  {
    name: 'policy',
    summary: 'check policies, explain and test their decisions, say what commands do',
    load: async () => (await import('./commands/policy.ts')).addPolicyCommand,
  },
  {
    name: 'hint',
    summary: 'say what a failed command’s output means, and what to do next',
    load: async () => (await import('./commands/hint.ts')).addHintCommand,
  },
  {
    name: 'audit',
    summary: 'verify that audit records are whole, or show them',
    load: async () => (await import('./commands/audit.ts')).addAuditCommand,
  },
  {
    name: 'sessions',
    summary: 'look at sessions that are kept, and carry them on',
    load: async () => (await import('./commands/sessions.ts')).addSessionsCommand,
  },
  {
    name: 'approvals',
    summary: 'calls that wait for a person: look at them, approve, deny',
    load: async () => (await import('./commands/approvals.ts')).addApprovalsCommand,
  },
  {
    name: 'jobs',
    summary: 'what goes on behind sessions: look at it, end it',
    load: async () => (await import('./commands/jobs.ts')).addJobsCommand,
  },
  {
    name: 'work',
    summary: 'do what sessions leave to others: jobs, carrying on, notifications',
    load: async () => (await import('./commands/work.ts')).addWorkCommand,
  },
  {
    name: 'store',
    summary: 'bring the database of what is kept up to date, check it, back it up',
    load: async () => (await import('./commands/store.ts')).addStoreCommand,
  },
  {
    name: 'doctor',
    summary: 'say what this machine can do, and what to do about each gap',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
]
