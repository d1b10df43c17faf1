import type { FinishReason, Usage } from '../contract/decode.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Wire, WireContext } from './wire.ts'

/**
 * What is the same of the wires that speak in events: whether anything was understood, whether the answer was finished, cut off or failed, and
 * what is said at its end. A wire reads its own events and closes its own calls.
 */
export abstract class AnswerWire implements Wire {
  abstract readonly dialect: Wire['dialect']
  protected readonly cx: WireContext
  /** Events so far: tells a wire which of two things came first. */
  protected serial = 0
  protected finish: FinishReason | undefined
  protected usage: Usage | undefined
  protected failed = false
  protected ended = false
  #idle = true

  constructor(cx: WireContext) {
    this.cx = cx
  }

  get idle(): boolean {
    return this.#idle
  }

  event(value: JsonObject): void {
    this.serial++
    if (this.read(value)) this.#idle = false
  }

  done(): void {
    this.ended = true
    this.closeAll(this.finish === 'length')
  }

  end(): FinishReason | undefined {
    const said = this.ended || this.finish !== undefined
    this.closeAll(!said || this.finish === 'length' || this.failed)
    if (!said && !this.failed) {
      const message = 'the stream was cut off: it ended before the model said that it had finished'
      this.cx.emit({ type: 'problem', code: 'STREAM_BROKEN', message })
    }
    if (this.usage !== undefined) this.cx.emit({ type: 'usage', usage: this.usage })
    if (this.failed) return 'error'
    return this.finish ?? (said ? 'other' : undefined)
  }

  /** Reads one event. False for what this wire does not know. */
  protected abstract read(value: JsonObject): boolean

  /** Ends every call that is still open. @param cut its arguments may not be whole */
  protected abstract closeAll(cut: boolean): void
}
