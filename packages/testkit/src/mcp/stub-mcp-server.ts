import { fileURLToPath } from 'node:url'

/**
 * How the stub server behaves. It speaks the wire by hand, one JSON message a line, so that it can also speak it wrongly.
 * Without a word it is an honest server of the older protocol with the tools below.
 *
 * `echo` gives its arguments back · `slow` answers when `finish` is called and sends progress when `tick` is · `die` ends the
 * process in the middle of the call · `cancelled` lists the reasons of the cancellations it was sent · `image` gives an image
 * and repeats it in structured content · `refuse` is a protocol error · `failing` a tool's own error · `malformed` no result
 * at all · `wait` never answers · `flood` writes a lot to stderr · `long` gives `size` letters · `executions` how often `echo` ran · `pid` its process.
 */
export interface StubMcpBehaviour {
  /** The entries of each page of `tools/list`. Default: one page with the tools above. `{ $repeat: ['x', 1000] }` stands for a long text. */
  readonly pages?: readonly (readonly unknown[])[]
  /** Sent as `nextCursor` of every page instead of the right one. */
  readonly nextCursor?: unknown
  /** `wrong`: the answer to `tools/list` has no list. */
  readonly list?: 'wrong'
  /** Default `answer`. */
  readonly initialize?: 'answer' | 'silent' | 'refuse'
  /** What the first question of the newer protocol gets. Default `refuse`, as from a server that does not know it. */
  readonly discover?: 'refuse' | 'silent' | 'exit' | 'answer'
  /** Printed on stdout before anything else. */
  readonly print?: readonly string[]
  /** Printed on stderr before anything else. */
  readonly complain?: readonly string[]
  /** Ends at once with this code. */
  readonly exit?: number
  /** Goes on after the end of stdin. */
  readonly ignoreEnd?: boolean
  readonly ignoreTerm?: boolean
  /**
   * More tools: `ask` asks the person what its arguments say, `roots` and `sample` ask for these, `grow` adds a tool and says so, `visit` wants an address visited first,
   * `shaped` gives `value` as structured content, where `{ n: number }` is declared. `listings` counts its listings.
   */
  readonly more?: boolean
  /** In the newer protocol: tells changes to those only who asked to be told; `unsubscribe` ends that. */
  readonly announce?: boolean
  /** Adds a tool each time it is asked for them, and says so. */
  readonly restless?: boolean
  /** What it says it is called. */
  readonly selfName?: string
}

/** The command that starts the stub. */
export function stubMcpServer(behaviour: StubMcpBehaviour = {}): { readonly command: string; readonly args: readonly string[] } {
  const program = import.meta.url.endsWith('.ts')
    ? new URL('./stub-mcp-program.ts', import.meta.url)
    : new URL('./stub-mcp-program.js', import.meta.url)
  return { command: process.execPath, args: ['--no-warnings', fileURLToPath(program), JSON.stringify(behaviour)] }
}
