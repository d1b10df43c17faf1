/**
 * Finds steps that wait for each other.
 * @param after for each id the ids it waits for
 * @returns the ids of one circle, the first again at its end; undefined when there is none
 */
export function findCycle(after: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const done = new Set<string>()
  for (const start of after.keys()) {
    // The way from `start`, and of each id on it the next dependency to look at.
    const way: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
    const onWay = new Set([start])
    for (let top = way.at(-1); top !== undefined; top = way.at(-1)) {
      const next = done.has(top.id) ? undefined : after.get(top.id)?.[top.next++]
      if (next === undefined) {
        done.add(top.id)
        onWay.delete(top.id)
        way.pop()
      } else if (onWay.has(next)) {
        return [...way.map(({ id }) => id).slice(way.findIndex(({ id }) => id === next)), next]
      } else if (!done.has(next)) {
        way.push({ id: next, next: 0 })
        onWay.add(next)
      }
    }
  }
  return undefined
}
