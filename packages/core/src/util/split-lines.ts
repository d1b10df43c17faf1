/**
 * Splits bytes into lines at LF only. Node's readline also splits at U+2028 and U+2029, which JSON text may hold as they are.
 * A line's memory is freed when the next one is asked for; one line is as long as it is.
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly text: string; readonly complete: boolean }, void, void> {
  // Each line is decoded whole, so a character cut by a chunk border is never broken.
  let pieces: Uint8Array[] = []
  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      pieces.push(chunk.subarray(start, end))
      yield { text: Buffer.concat(pieces).toString('utf8'), complete: true }
      pieces = []
      start = end + 1
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start))
  }
  if (pieces.length > 0) yield { text: Buffer.concat(pieces).toString('utf8'), complete: false }
}
