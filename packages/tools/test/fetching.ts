/** Runs http_fetch by itself against servers on loopback. */
import assert from 'node:assert/strict'
import { AdjutantError, type ErrorCode, type JsonObject } from '@adjutant/core/contract'
import { testContext } from '@adjutant/testkit'
import { createHttpTool, type HttpToolOptions } from '../src/http/create-http-tool.ts'

/** Every name is on loopback, and only loopback may be connected to, unless the test says otherwise. */
const LOCAL: HttpToolOptions = { resolve: async () => ['127.0.0.1'], mayConnect: (address) => address === '127.0.0.1' }

export async function runFetch(input: JsonObject, options: HttpToolOptions = {}, signal?: AbortSignal): Promise<unknown> {
  await using cx = await testContext(signal === undefined ? {} : { signal })
  const execution = createHttpTool({ ...LOCAL, ...options }).execute(input, cx)
  assert.ok(execution instanceof Promise)
  return await execution
}

export async function fetchText(input: JsonObject, options?: HttpToolOptions): Promise<string> {
  const output = await runFetch(input, options)
  assert.equal(typeof output, 'string')
  return String(output)
}

export async function fetchFailure(input: JsonObject, code: ErrorCode, options?: HttpToolOptions): Promise<AdjutantError> {
  try {
    await runFetch(input, options)
  } catch (error) {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    assert.ok(error.hint.length > 0)
    return error
  }
  return assert.fail(`expected ${code}`)
}
