/** Waits for something in another process to become true: looks often, gives up after ten seconds. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + 10_000; !isTrue(); ) {
    if (performance.now() > end) throw new Error(`waited for ten seconds in vain: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
