import type { FetchLike } from '@modelcontextprotocol/client'

/**
 * `fetch` that gives up on an answer to a POST over the limit: one answer is one result, and the client would hold all of it.
 * Answers to a GET are not limited, as they are streams that stay open.
 */
export function limitedFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (init?.method !== 'POST' || response.body === null) return response
    let bytes = 0
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) controller.error(new RangeError(`the answer is longer than ${maxBytes} bytes`))
        else controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(counter), response)
  }
}
