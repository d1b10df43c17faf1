/** Reads the error codes of the operating system (`ENOENT`, `ELOOP` …) out of what node throws. */
export function systemCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return undefined
}
