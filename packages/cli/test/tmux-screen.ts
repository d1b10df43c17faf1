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

/** Only to end a test that would never end, with the screen it saw last. */
const GIVE_UP_MS = 30_000

export class TmuxScreen {
  readonly #socket: string
  readonly #watcher: ChildProcess

  /** Runs `command`, then says `END <exit code> icanon echo`, or `-icanon -echo` where the terminal was not given back. */
  constructor(command: readonly string[], options: ScreenOptions) {
    screens += 1
    this.#socket = `adjutant-test-${process.pid}-${screens}`
    const assignments = Object.entries({ LANG: 'C.UTF-8', ...options.env }).map(([name, value]) => `${name}=${quoted(value)}`)
    // What the test runner says of itself and of colours must not reach the program.
    const bare = ['NO_COLOR', 'FORCE_COLOR', 'NODE_TEST_CONTEXT', 'NODE_OPTIONS', 'CI'].map((name) => `-u ${name}`).join(' ')
    const modes = "stty -a | grep -o -E -- '-?\\b(icanon|echo)\\b' | tr '\\n' ' '"
    const line = `env ${bare} ${assignments.join(' ')} ${command.map(quoted).join(' ')}; code=$?; echo "END $code $(${modes})"; exec cat`
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
    const giveUp = AbortSignal.timeout(GIVE_UP_MS)
    for (;;) {
      // Listening begins before looking, so that nothing is written in between unseen.
      const more = once(stdout, 'data', { signal: giveUp })
      more.catch(() => {})
      const screen = this.text()
      if (pattern.test(screen)) return screen
      if (/^END \d+ /m.test(screen)) throw new Error(`the program ended without showing ${pattern}:\n${screen}`)
      await more.catch((cause: unknown) => {
        throw new Error(`the screen never showed ${pattern}:\n${screen}`, { cause })
      })
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
