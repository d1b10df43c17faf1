/**
 * A real terminal for tests: tmux, driven by keys and read as a person sees it. Waiting is done on what the pane writes (tmux tells it
 * in control mode), never on time.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** One line where there is no tmux; `false` where there is. */
export function tmuxMissing(): string | false {
  return spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed: the terminal was not looked at'
}

export interface ScreenOptions {
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

let screens = 0

export class TmuxScreen {
  readonly #socket: string
  readonly #watcher: ChildProcess

  /** Runs `command`, then says `END <exit code>` and how the terminal is set. */
  constructor(command: readonly string[], options: ScreenOptions) {
    screens += 1
    this.#socket = `adjutant-test-${process.pid}-${screens}`
    const assignments = Object.entries({ LANG: 'C.UTF-8', ...options.env }).map(([name, value]) => `${name}=${quoted(value)}`)
    const line = `env ${assignments.join(' ')} ${command.map(quoted).join(' ')}; echo "END $?"; stty -a | grep -o -E -- '-?(icanon|echo)\\b' | tr '\\n' ' '; echo; exec cat`
    const size = ['-x', String(options.columns), '-y', String(options.rows)]
    // No configuration of the person whose machine this is.
    this.#tmux('-f', '/dev/null', '-u', 'new-session', '-d', ...size, '-c', options.cwd, line)
    this.#watcher = spawn('tmux', ['-L', this.#socket, '-C', 'attach', '-f', 'ignore-size'], { stdio: ['pipe', 'pipe', 'ignore'] })
  }

  /** What is on the screen, without the empty lines at its end. */
  text(...flags: readonly string[]): string {
    return this.#tmux('capture-pane', '-p', ...flags).replace(/\n+$/, '')
  }

  /** The screen as soon as it shows `pattern`. @throws Error with the last screen when the program is gone before it does */
  async until(pattern: RegExp): Promise<string> {
    const { stdout } = this.#watcher
    if (stdout === null) throw new Error('the watcher has no output')
    for (;;) {
      // Listening begins before looking, so that nothing is written in between unseen.
      const more = once(stdout, 'data')
      const screen = this.text()
      if (pattern.test(screen)) {
        more.catch(() => {})
        return screen
      }
      if (/^END \d+$/m.test(screen)) throw new Error(`the program ended without showing ${pattern}:\n${screen}`)
      await more
    }
  }

  /** Presses keys, in tmux's names (`Enter`, `C-c`); anything else is typed. */
  keys(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys)
  }

  close(): void {
    this.#watcher.kill()
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'])
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' })
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
