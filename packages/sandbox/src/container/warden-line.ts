/**
 * Owns speaking with the first process of one container: questions and their answers, runs and their output. When the line breaks, everything that
 * is still waited for fails, and nothing is asked on it again.
 *
 * To the container: `R` run, `K` end a run, `B` start something that stays, `G` read, `W` write, `D` list. From it: `H` hello, `S` a run has its
 * program, `O` and `E` its output, `X` its end, `F` the answer to any other question.
 */
import type { Duplex } from 'node:stream'
import { AdjutantError } from '@adjutant/core/contract'
import { readWardenHead, type WardenMessage, wardenHead, wardenMessage, wardenReader } from './warden-messages.ts'

export interface RunListener {
  started(fresh: boolean): void
  output(stream: 'stdout' | 'stderr', bytes: Uint8Array): void
  ended(how: unknown): void
  failed(error: AdjutantError): void
}

export interface Answer {
  readonly value: unknown
  readonly rest: Buffer
}

interface Question {
  resolve(answer: Answer): void
  reject(error: AdjutantError): void
}

export class WardenLine {
  /** What the first process found where it is. Rejects when it never spoke. */
  readonly hello: Promise<unknown>
  /** It has broken, or was closed. Never rejects. */
  readonly ended: Promise<void>
  readonly #stream: Duplex
  readonly #runs = new Map<number, RunListener>()
  readonly #questions = new Map<number, Question>()
  #next = 1
  #said = ''
  #broken: AdjutantError | undefined
  #settleEnd: () => void = () => undefined

  /**
   * @param stream what the daemon gives for the three standard descriptors of the container
   * @param sync what the first process waits for before it listens
   */
  constructor(stream: Duplex, sync: string) {
    this.#stream = stream
    stream.write(sync)
    this.ended = new Promise((resolve) => {
      this.#settleEnd = resolve
    })
    this.hello = new Promise((resolve, reject) => {
      this.#questions.set(0, { resolve: ({ value }) => resolve(value), reject })
    })
    this.hello.catch(() => undefined)
    const reader = wardenReader(
      (message) => this.#take(message),
      (text) => {
        if (this.#said.length < 2_000) this.#said += text
      },
    )
    stream.on('data', (piece: Buffer) => {
      try {
        reader.push(piece)
      } catch (error) {
        this.#break(AdjutantError.from(error, 'SANDBOX_FAILED', 'the container said what nobody understands'))
      }
    })
    for (const event of ['end', 'close'] as const) stream.on(event, () => this.#break())
    stream.on('error', (error) => this.#break(new AdjutantError('SANDBOX_FAILED', `the way to the container broke: ${error.message}`)))
  }

  get isBroken(): boolean {
    return this.#broken !== undefined
  }

  /** Gives the run's number. @throws AdjutantError SANDBOX_FAILED */
  run(plan: unknown, stdin: Uint8Array, frame: Uint8Array, listener: RunListener): number {
    const number = this.#number()
    this.#runs.set(number, listener)
    this.#send('R', number, wardenHead(plan), stdin, frame)
    return number
  }

  /** Its end comes to its listener. */
  kill(number: number): void {
    if (this.#broken === undefined) this.#send('K', number)
  }

  /** @throws AdjutantError SANDBOX_FAILED */
  ask(kind: 'B' | 'G' | 'W' | 'D', question: unknown, bytes: Uint8Array = Buffer.alloc(0)): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const number = this.#number()
      this.#questions.set(number, { resolve, reject })
      this.#send(kind, number, wardenHead(question), bytes)
    })
  }

  close(): void {
    this.#break()
    this.#stream.destroy()
  }

  #number(): number {
    if (this.#broken !== undefined) throw this.#broken
    return this.#next++
  }

  #send(kind: string, number: number, ...parts: readonly Uint8Array[]): void {
    this.#stream.cork()
    for (const part of wardenMessage(kind, number, ...parts)) if (part.length > 0) this.#stream.write(part)
    this.#stream.uncork()
  }

  #take({ kind, number, body }: WardenMessage): void {
    switch (kind) {
      case 'O':
        this.#runs.get(number)?.output('stdout', body)
        return
      case 'E':
        this.#runs.get(number)?.output('stderr', body)
        return
      case 'S': {
        const { value } = readWardenHead(body)
        this.#runs.get(number)?.started(typeof value === 'object' && value !== null && 'fresh' in value && value.fresh === 'new')
        return
      }
      case 'X': {
        const listener = this.#runs.get(number)
        this.#runs.delete(number)
        listener?.ended(readWardenHead(body).value)
        return
      }
      case 'H':
      case 'F': {
        const question = this.#questions.get(number)
        this.#questions.delete(number)
        question?.resolve(readWardenHead(body))
        return
      }
      default:
        throw new AdjutantError('SANDBOX_FAILED', `the container said ${JSON.stringify(kind)}, which is nothing`)
    }
  }

  #break(error?: AdjutantError): void {
    if (this.#broken !== undefined) return
    const said = this.#said.trim().split('\n').at(-1)?.slice(0, 500) ?? ''
    this.#broken = error ?? new AdjutantError('SANDBOX_FAILED', `the container has ended${said === '' ? '' : `: ${said}`}`)
    for (const listener of this.#runs.values()) listener.failed(this.#broken)
    for (const question of this.#questions.values()) question.reject(this.#broken)
    this.#runs.clear()
    this.#questions.clear()
    this.#settleEnd()
  }
}
