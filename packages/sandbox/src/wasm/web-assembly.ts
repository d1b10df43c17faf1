/** What is used here of the platform's WebAssembly, which the type library of Node leaves to that of browsers. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  /** Pages of 65 536 bytes. @throws RangeError beyond its maximum */
  grow(pages: number): number
}

/** Compiled code; may be handed to another thread. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string
}

interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

declare const WebAssembly: {
  readonly Memory: new (descriptor: { readonly initial: number; readonly maximum: number }) => WasmMemory
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance
  compile(bytes: Uint8Array): Promise<WasmModule>
}

export const wasm = WebAssembly
