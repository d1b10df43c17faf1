/**
 * Decides how people are spoken to: a drawn screen where there is one (imported only then), plain questions where lines are all
 * there is, nobody where there is no terminal. Where stdin is taken by data, the person is looked for at the controlling terminal.
 */
import { closeSync, openSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import type { Approver, Asker, Clock } from '@adjutant/core'
import type { CliIo } from '../cli-io.ts'
import { capabilitiesOf } from './capabilities.ts'
import { denyingApprover, noAsker } from './nobody.ts'
import { peopleLines } from './people-lines.ts'
import { openPlainUi } from './plain-ui.ts'
import { themeFor } from './theme.ts'
import type { Ui } from './ui.ts'

export interface OpenUiOptions {
  readonly workspace: string
  readonly clock: Clock
  /** Machine-readable output: calls are told on stdout. */
  readonly json: boolean
  /** stdin carries data: answers cannot come from there. */
  readonly stdinIsData: boolean
  /** Answers instead of a person. */
  readonly recorded?: Approver | undefined
}

interface Keyboard {
  readonly stream: CliIo['stdin']
  close(): void
}

/** The terminal of this process, though stdin is a pipe. */
function controllingTerminal(): Keyboard | undefined {
  if (process.platform === 'win32') return undefined
  let descriptor: number | undefined
  try {
    descriptor = openSync('/dev/tty', 'r+')
    const stream = new ReadStream(descriptor)
    return { stream, close: () => stream.destroy() }
  } catch {
    if (descriptor !== undefined) closeSync(descriptor)
    return undefined
  }
}

function keyboardOf(io: CliIo, options: OpenUiOptions): Keyboard | undefined {
  if (options.recorded !== undefined || io.stderr.isTTY !== true) return undefined
  if (!options.stdinIsData) return io.stdin.isTTY === true ? { stream: io.stdin, close: () => io.stdin.pause() } : undefined
  return io.stdin.isTTY === true ? undefined : controllingTerminal()
}

/** Asks the process to stop the way Ctrl-C does where the terminal itself sends the signal: run-process.ts hears it. */
function interrupt(): void {
  process.kill(process.pid, 'SIGINT')
}

export async function openUi(io: CliIo, options: OpenUiOptions): Promise<Ui> {
  const keyboard = keyboardOf(io, options)
  const can = capabilitiesOf({ stdin: keyboard?.stream ?? io.stdin, stderr: io.stderr, env: io.env })
  const theme = themeFor(can)
  if (keyboard === undefined) {
    const people = peopleLines(io.stderr, theme, options.json)
    const asker: Asker = noAsker
    return {
      events: people.events,
      expect: people.expect,
      note: people.note,
      showsText: false,
      approver: options.recorded ?? denyingApprover('nobody is at a terminal to be asked, and --approve allow was not given'),
      asker,
      close: async () => {},
    }
  }
  const opened = {
    stdin: keyboard.stream,
    output: io.stderr,
    theme,
    workspace: options.workspace,
    env: io.env,
  }
  let ui: Ui
  if (can.live && !options.json) {
    const { openInkUi } = await import('./ink/ink-ui.ts')
    ui = openInkUi({ ...opened, clock: options.clock, interrupt })
  } else {
    ui = openPlainUi({ ...opened, quiet: options.json })
  }
  return {
    ...ui,
    async close() {
      await ui.close()
      keyboard.close()
    },
  }
}
