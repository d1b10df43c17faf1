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
    name: 'doctor',
    summary: 'say what this machine can do, and what to do about each gap',
    load: async () => (await import('./commands/doctor.ts')).addDoctorCommand,
  },
]
