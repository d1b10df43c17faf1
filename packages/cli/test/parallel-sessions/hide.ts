/** Owns hiding: what a session does first, each time in another order. */

import type { HidingPlace, Pearls } from './pearls.ts'
import { namesOf, type Player, told, word } from './player.ts'

/** Answers on three sockets, holds shared memory, prints. Arguments: abstract name, port, key of the memory, and a pearl for each, then its own. */
const SERVER = `import ctypes, socket, sys, threading
name, port, key, by_name, by_path, by_port, in_memory, printed, own = sys.argv[1:]
memory = ctypes.CDLL(None, use_errno=True)
memory.shmat.restype = ctypes.c_void_p
held = memory.shmat(memory.shmget(int(key), 4096, 0o1666), None, 0)
ctypes.memmove(held, in_memory.encode(), len(in_memory))
def serve(family, where, answer):
    server = socket.socket(family)
    server.bind(where)
    server.listen(16)
    def loop():
        while True:
            peer = server.accept()[0]
            peer.sendall(answer.encode())
            peer.close()
    threading.Thread(target=loop).start()
serve(socket.AF_UNIX, '\\0' + name, by_name)
serve(socket.AF_INET, ('127.0.0.1', int(port)), by_port)
print(printed, flush=True)
serve(socket.AF_UNIX, 'harbour.sock', by_path)`

/** An interpreter that stays takes a box of its own: some sessions are enough. */
const EVERY_INTERPRETER = 3

/** @param turn changes the order @returns handles of kept results */
export async function hide(player: Player, pearls: Pearls, turn: number): Promise<readonly string[]> {
  const { index, tools } = player
  const names = namesOf(index)
  const make = (place: HidingPlace): string => pearls.make(index, place)
  const kept: string[] = []
  const steps: (() => Promise<void>)[] = []
  const step = (tool: string, act: () => Promise<void>): void => {
    if (tools.has(tool)) steps.push(act)
  }
  const call = async (tool: string, input: Readonly<Record<string, unknown>>) => told(player, pearls, undefined, [tool, input])
  step('write_file', async () => {
    await call('write_file', { path: names.note, content: `${make('note')}\n` })
  })
  step('bash', async () => {
    await call('bash', {
      command: [
        `export HARBOUR=${make('environment')}`,
        `echo ${make('file')} >/workspace/${names.file}`,
        `echo ${make('tmp')} >${names.tmp}`,
        `echo ${make('shared-memory-file')} >${names.shared}`,
      ].join('\n'),
    })
  })
  step('bash', async () => {
    const answers = (['abstract-socket', 'socket', 'port', 'shared-memory', 'job-output', 'argument'] as const).map(make)
    const program = ['python3', '-I', '-c', word(SERVER), names.abstract, names.port, names.sharedKey, ...answers].join(' ')
    await call('bash', { command: `cd /workspace && exec ${program}`, background: true })
  })
  step('bash', async () => {
    const middle = make('kept-result')
    const { kept: handle } = await call('bash', { command: `seq 100000 104000; echo ${middle}; seq 200000 204000` })
    if (handle === undefined) throw new Error(`session ${index}: a long result was not kept`)
    kept.push(handle)
  })
  if (index % EVERY_INTERPRETER === 0)
    step('python', async () => {
      await call('python', { code: `harbour = '${make('python-variable')}'`, session: true })
    })
  step('javascript', async () => {
    const [variable, file] = [make('javascript-variable'), make('javascript-file')]
    await call('javascript', { code: `globalThis.harbour = '${variable}'; files.write('harbour.txt', '${file}')`, session: true })
  })
  // The session after this one begins with the next step, so that all steps of all sessions meet.
  const from = turn % Math.max(steps.length, 1)
  for (const act of [...steps.slice(from), ...steps.slice(0, from)]) await act()
  if (tools.has('bash'))
    await call('bash', { command: `(for n in {1..150}; do [[ -S /workspace/${names.socket} ]] && exit 0; sleep 0.2; done; exit 1)` })
  return kept
}
