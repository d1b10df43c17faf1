/**
 * Takes a worker's own streams away: engines print there when they fail, nobody reads it, and reading it would keep the host's process
 * alive. What code prints goes by messages.
 */
export function quietWorker(): void {
  process.stdout.write = () => true
  process.stderr.write = () => true
}
