/** Owns what the tests of this folder share: a stub with a backend before it, and what is left on this machine. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { systemClock } from '@adjutant/core'
import { AdjutantError, type ErrorCode, type SandboxReport } from '@adjutant/core/contract'
import { type E2bStub, type E2bStubOptions, startE2bStub } from '@adjutant/testkit'
import { type E2bBackend, type E2bBackendOptions, e2bBackend } from '../src/e2b/e2b-backend.ts'

export interface Bench extends AsyncDisposable {
  readonly stub: E2bStub
  readonly backend: E2bBackend
  readonly notes: string[]
}

export async function openBench(stubOptions: E2bStubOptions = {}, options: Partial<E2bBackendOptions> = {}): Promise<Bench> {
  const stub = await startE2bStub(stubOptions)
  const notes: string[] = []
  const backend = e2bBackend({
    clock: systemClock,
    apiUrl: stub.url,
    sandboxUrl: stub.url,
    apiKey: stub.apiKey,
    workspace: 'workspace',
    note: (text) => notes.push(text),
    ...options,
  })
  return {
    stub,
    backend,
    notes,
    async [Symbol.asyncDispose]() {
      await backend[Symbol.asyncDispose]()
      await stub.close()
    },
  }
}

export const out = (report: SandboxReport): string => Buffer.from(report.stdout).toString('utf8')
export const err = (report: SandboxReport): string => Buffer.from(report.stderr).toString('utf8')

export function fails(code: ErrorCode, why?: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(AdjutantError.isInstance(error), String(error))
    assert.equal(error.code, code, error.message)
    if (why !== undefined) assert.match(`${error.message} | ${error.hint}`, why)
    return true
  }
}

/** Processes of this machine whose arguments hold the word. */
export function processesWith(word: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
    try {
      const state = /\) ([A-Z])/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]
      return state !== 'Z' && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(word)
    } catch {
      return false
    }
  })
}
