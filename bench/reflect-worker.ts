/** Reflects one folder in a process of its own and says how long it took: `source cache` → one line of JSON. */
import { reflectTools } from '@adjutant/reflect'

const [source = '', cache = ''] = process.argv.slice(2)
const before = process.cpuUsage()
const started = performance.now()
const { tools, problems, cached } = await reflectTools([source], { cacheFolder: cache })
const milliseconds = performance.now() - started
const cpu = process.cpuUsage(before)
process.stdout.write(
  `${JSON.stringify({
    milliseconds,
    cpuMilliseconds: (cpu.user + cpu.system) / 1_000,
    tools: tools.length,
    problems: problems.length,
    cached,
    megabytes: process.resourceUsage().maxRSS / 1_024,
  })}\n`,
)
