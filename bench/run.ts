/**
 * Runs the benchmarks, each beside other systems in the same run. Take ratios, not milliseconds.
 *
 * Usage: npm run bench [-- intake dispatch call clip search sandbox durable]   (default: all)
 */
import { cpus } from 'node:os'

const BENCHES: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
  intake: async () => (await import('./intake.ts')).benchIntake,
  dispatch: async () => (await import('./dispatch.ts')).benchDispatch,
  call: async () => (await import('./call.ts')).benchCall,
  reflect: async () => (await import('./reflect.ts')).benchReflect,
  clip: async () => (await import('./clip.ts')).benchClip,
  search: async () => (await import('./search.ts')).benchSearch,
  sandbox: async () => (await import('./sandbox.ts')).benchSandbox,
  'sandbox-soak': async () => (await import('./sandbox-soak.ts')).soakSandbox,
  durable: async () => (await import('./durable.ts')).benchDurable,
  disclosure: async () => (await import('./disclosure.ts')).benchDisclosure,
}

const asked = process.argv.slice(2)
const names = asked.length === 0 ? Object.keys(BENCHES) : asked
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}\n`)
  process.exit(2)
}
process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`)
for (const name of names) {
  process.stderr.write(`bench ${name} …\n`)
  const load = BENCHES[name]
  if (load !== undefined) await (await load())()
}
