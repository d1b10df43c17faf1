/** A host for tests: connects the servers it is given as JSON, writes that it did, and then only waits for its end. */
import { isJsonObject, systemClock } from '@adjutant/core'
import { connectMcpServer, readServerConfig } from '@adjutant/core/mcp'

const servers: unknown = JSON.parse(process.argv[2] ?? '{}')
if (!isJsonObject(servers)) throw new Error('the servers are one JSON object')
await Promise.all(
  Object.entries(servers).map(([name, config]) => connectMcpServer(name, readServerConfig(name, config), { clock: systemClock })),
)
process.stdout.write('connected\n')
