/** How many bytes at the end begin a UTF-8 character that is not complete yet (0 to 3). */
export function incompleteTail(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) {
      const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return needs > back ? back : 0
    }
  }
  return 0
}
