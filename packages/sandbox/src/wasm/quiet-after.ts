/**
 * Owns waiting that keeps no process alive: the clock's waits do, and a process that has nothing left to do but to end idle workers should end itself.
 * Calls back once; what is returned takes it back.
 */
export function quietAfter(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
