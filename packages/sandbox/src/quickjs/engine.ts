/**
 * Owns one instance of the JavaScript engine: its own WebAssembly memory with a hard maximum, a small stack, and the prelude evaluated in it.
 * Made in advance and used by one run, or by the runs of one session. The only function of the host that it can reach takes and gives text,
 * numbers and bytes. It is never disposed of: whoever has used it lets it go whole.
 */
import baseVariant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { type BoundedMemory, boundMemory, PAGE_BYTES } from '../wasm/bounded-memory.ts'
import { type WasmModule, wasm } from '../wasm/web-assembly.ts'
import { guestConsole } from './guest-console.ts'
import { guestEncoding } from './guest-encoding.ts'
import { guestInspect } from './guest-inspect.ts'
import { type GuestFace, guestPrelude } from './guest-prelude.ts'

/** What the engine's module is linked to begin with: 16 MB. */
const INITIAL_BYTES = 256 * PAGE_BYTES
/** More than this made the engine fail while it unwound. */
const STACK_BYTES = 256 * 1024
const PRELUDE = `(${guestPrelude.toString()})`
const INSPECT = `(${guestInspect.toString()})()`
const CONSOLE = `(${guestConsole.toString()})`
const ENCODING = `(${guestEncoding.toString()})()`

const VARIANT = variantOf(baseVariant)

/** What a call of the engine's code asks of the host: plain values only. */
export type HostValue = string | number | Uint8Array | undefined
type HostCallback = (operation: string, values: readonly HostValue[]) => HostValue

type GuestHandles = { readonly [K in keyof GuestFace]: QuickJSHandle }

export interface EngineInstance {
  readonly context: QuickJSContext
  readonly runtime: QuickJSRuntime
  readonly memory: BoundedMemory
  readonly maxBytes: number
  readonly guest: GuestHandles
  /** Who answers the engine's code and who says when it must stop: those of the run that has it. */
  attach(callback: HostCallback, mustStop: () => boolean): void
}

/** @param maxBytes that its memory may ever have */
export async function makeEngine(module: WasmModule, maxBytes: number): Promise<EngineInstance> {
  const wasmMemory = new wasm.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: Math.floor(maxBytes / PAGE_BYTES) })
  const memory = boundMemory(wasmMemory)
  memory.setLimit(maxBytes)
  const engine = await newQuickJSWASMModuleFromVariant(newVariant(VARIANT, { wasmModule: module, wasmMemory }))
  const runtime = engine.newRuntime()
  runtime.setMaxStackSize(STACK_BYTES)
  const context = runtime.newContext()
  let callback: HostCallback = () => undefined
  let mustStop = (): boolean => false
  runtime.setInterruptHandler(() => mustStop())
  const out = context.newFunction('out', (operation, ...values) => {
    const given = values.map((value) => plainOf(context, value))
    return handleOf(context, callback(context.getString(operation), given))
  })
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'box.js', { type: 'global' }))
  const inspect = context.unwrapResult(context.evalCode(INSPECT, 'box.js', { type: 'global' }))
  const console = context.unwrapResult(context.evalCode(CONSOLE, 'box.js', { type: 'global' }))
  const encoding = context.unwrapResult(context.evalCode(ENCODING, 'box.js', { type: 'global' }))
  const face = context.unwrapResult(context.callFunction(prelude, context.undefined, out, inspect, console, encoding))
  for (const handle of [out, prelude, inspect, console, encoding]) handle.dispose()
  const at = (index: number): QuickJSHandle => context.getProp(face, index)
  return {
    context,
    runtime,
    memory,
    maxBytes,
    guest: { begin: at(0), untilTimer: at(1), fireTimers: at(2), pendingCalls: at(3), settle: at(4), describe: at(5) },
    attach(nextCallback, nextMustStop) {
      callback = nextCallback
      mustStop = nextMustStop
    },
  }
}

/** The package's types speak of its other module format, in which the variant lies one step deeper. */
function variantOf(value: unknown): QuickJSSyncVariant {
  if (!isVariant(value)) throw new TypeError('the package of the engine is not what it was built for')
  return value
}

function isVariant(value: unknown): value is QuickJSSyncVariant {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'sync' && 'importFFI' in value
}

/** A copy of what the engine's code gave; objects other than bytes are nothing. */
function plainOf(context: QuickJSContext, handle: QuickJSHandle): HostValue {
  switch (context.typeof(handle)) {
    case 'string':
      return context.getString(handle)
    case 'number':
      return context.getNumber(handle)
    case 'object': {
      const bytes = bytesOf(context, handle)
      return bytes
    }
    default:
      return undefined
  }
}

function bytesOf(context: QuickJSContext, handle: QuickJSHandle): Uint8Array | undefined {
  try {
    const view = context.getArrayBuffer(handle)
    const bytes = Uint8Array.from(view.value)
    view.dispose()
    return bytes
  } catch {
    return undefined
  }
}

function handleOf(context: QuickJSContext, value: HostValue): QuickJSHandle {
  if (typeof value === 'string') return context.newString(value)
  if (typeof value === 'number') return context.newNumber(value)
  if (value === undefined) return context.undefined
  return context.newArrayBuffer(Uint8Array.from(value).buffer)
}
