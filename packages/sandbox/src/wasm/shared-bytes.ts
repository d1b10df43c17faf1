/** A copy of bytes in memory that threads can share, so that a box's files are handed over without being copied again. */
export function sharedBytes(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  shared.set(bytes)
  return shared
}
