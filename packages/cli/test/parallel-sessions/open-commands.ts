/** Owns `adjutant exec --many` commands that run at the same time, each a session of one person at one machine: same user, same folder of sessions. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { main } from '../../src/main.ts'
import { makeDatabase } from './open-sessions.ts'
import type { Pearls } from './pearls.ts'
import type { Player } from './player.ts'

/** Each of these makes boxes of its own, finding out first what the machine can do. */
const EVERY_CODE = 34
const EVERY_DATABASE = 25

const FILE_TOOLS = ['read_file', 'list_directory', 'search_text', 'find_files', 'write_file', 'read_result']
const CODE_TOOLS = ['bash', 'background_jobs', 'python', 'javascript']

/** @param root an empty folder on the host that others may pass through */
export async function openCommands(root: string, count: number, pearls: Pearls): Promise<readonly Player[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => openOne(root, index, pearls)))
}

async function openOne(root: string, index: number, pearls: Pearls): Promise<Player> {
  const workspace = join(root, `work-${index}`)
  await mkdir(workspace)
  const hasCode = index % EVERY_CODE === 0
  const sharesWorkspace = index % (2 * EVERY_CODE) === 0
  const database = index % EVERY_DATABASE === 0 ? join(root, `hold-${index}.db`) : undefined
  if (database !== undefined) makeDatabase(database, pearls.make(index, 'database'))
  const tools = [...FILE_TOOLS, ...(database === undefined ? [] : ['sql_query']), ...(hasCode ? CODE_TOOLS : [])]
  const config = join(root, `adjutant-${index}.json`)
  await writeFile(
    config,
    JSON.stringify({
      workspace,
      sessionsFolder: join(root, 'sessions'),
      approve: 'allow',
      loopGuard: false,
      tools: {
        builtin: tools.filter((name) => !CODE_TOOLS.includes(name)),
        ...(hasCode ? { code: { workspace: sharesWorkspace ? 'project' : 'box' } } : {}),
      },
      ...(database === undefined ? {} : { databases: { hold: database } }),
    }),
  )
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const heard = new Heard(stdout)
  let complaints = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const env = { HOME: '/nowhere', XDG_STATE_HOME: join(root, 'state') }
  const signal = new AbortController().signal
  const ended = main(['exec', '--many', '--json', '--config', config], { stdin, stdout, stderr, env, cwd: workspace, signal })
  // Whoever waits for an answer that cannot come any more is told why.
  void ended.then((code) => heard.end(`exec ended with ${code}: ${complaints}`))
  return {
    index,
    workspace,
    sharesWorkspace,
    ...(database === undefined ? {} : { database }),
    tools: new Set(tools),
    async call(tool, input) {
      stdin.write(`${JSON.stringify({ action: 'call_tool', tool_name: tool, parameters: input })}\n`)
      const lines = await heard.upTo('results')
      const kept = /"spill":\{[^}]*"handle":"([^"]+)"/.exec(lines)?.[1]
      return { text: lines.replaceAll(JSON.stringify(input), ''), ...(kept === undefined ? {} : { kept }) }
    },
    async close() {
      stdin.end()
      await ended
    },
  }
}

/** Collects lines until one of a type has come. */
class Heard {
  #text = ''
  #ended: string | undefined
  #wake = (): void => {}

  constructor(stream: PassThrough) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text
      this.#wake()
    })
  }

  end(reason: string): void {
    this.#ended = reason
    this.#wake()
  }

  async upTo(type: string): Promise<string> {
    for (;;) {
      const at = this.#text.indexOf(`{"type":"${type}"`)
      const end = at === -1 ? -1 : this.#text.indexOf('\n', at)
      if (end !== -1) {
        const lines = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return lines
      }
      if (this.#ended !== undefined) throw new Error(this.#ended)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
