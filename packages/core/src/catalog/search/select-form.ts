/** Longest list of names taken. */
const MOST_NAMES = 100

/** The names of `select:a, b`; undefined for any other request. */
export function selectedNames(query: string): readonly string[] | undefined {
  const form = /^\s*select:/.exec(query.slice(0, 64))
  if (form === null) return undefined
  const names = query
    .slice(form[0].length, 8_000)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return [...new Set(names)].slice(0, MOST_NAMES)
}
