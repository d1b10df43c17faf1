/**
 * Keeps the process alive until the returned function is called. For a wait that only a timer ends: the clock's timers do not
 * hold the process, and nothing else would.
 */
export function holdProcess(): () => void {
  const handle = setInterval(() => {}, 2 ** 30)
  return () => clearInterval(handle)
}
