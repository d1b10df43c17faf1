/** Owns how a text in `databases` says that it is no file. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text)
}
