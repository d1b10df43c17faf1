import { AsyncLocalStorage } from 'node:async_hooks'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { CallContext } from '../../../contract/tool.ts'

/** One call that a server is working on. */
export interface RunningCall {
  /** The tool's name at the server. */
  readonly tool: string
  readonly cx: CallContext
}

/** To whom a server's question belongs. */
export interface Asked {
  readonly call: RunningCall
  /** The tools that may have caused it: more than one when the wire does not say which. */
  readonly tools: readonly string[]
}

/**
 * Owns which calls a connection has running, so that what a server asks meanwhile is asked by the call it asks for. Over HTTP
 * and in the newer protocol the question comes on the call's own way and belongs to it for certain. Over a pipe the older protocol
 * does not say whose it is: then it is that of the only call that runs, else of the newest, and all are named.
 */
export class RunningCalls {
  readonly #running = new Set<RunningCall>()
  readonly #scope = new AsyncLocalStorage<RunningCall>()

  async run<T>(call: RunningCall, work: () => Promise<T>): Promise<T> {
    this.#running.add(call)
    try {
      return await this.#scope.run(call, work)
    } finally {
      this.#running.delete(call)
    }
  }

  /** Does work that must not count as a part of the call it was started in, e.g. opening a connection that outlives it. */
  outside<T>(work: () => T): T {
    return this.#scope.exit(work)
  }

  /** Whose question comes now; undefined when no call runs. */
  get asked(): Asked | undefined {
    const own = this.#scope.getStore()
    if (own !== undefined && this.#running.has(own)) return { call: own, tools: [own.tool] }
    const all = [...this.#running]
    const call = all.at(-1)
    return call === undefined ? undefined : { call, tools: [...new Set(all.map(({ tool }) => tool))] }
  }
}

/** Calls in flight on one wire; more are not followed. */
const MAX_FOLLOWED = 10_000

/** Brings the answer to a call back into the context it was sent from: a wire's events know nothing of it. */
export class AnswerContexts {
  readonly #contexts = new Map<string | number, <T>(work: () => T) => T>()

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if (message.method === 'tools/call' && 'id' in message && this.#contexts.size < MAX_FOLLOWED) {
      this.#contexts.set(message.id, AsyncLocalStorage.snapshot())
    } else if (message.method === 'notifications/cancelled') {
      const id = message.params?.requestId
      if (typeof id === 'string' || typeof id === 'number') this.#contexts.delete(id)
    }
  }

  /** A request that was given up gets no answer. */
  forget(id: string | number): void {
    this.#contexts.delete(id)
  }

  received(message: JSONRPCMessage, work: () => void): void {
    const id = 'id' in message && !('method' in message) ? message.id : undefined
    const context = id === undefined ? undefined : this.#contexts.get(id)
    if (id === undefined || context === undefined) {
      work()
      return
    }
    this.#contexts.delete(id)
    context(work)
  }
}
