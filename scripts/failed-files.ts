/** A reporter of node:test that names each test file in which something failed, a line each. */
import type { TestEvent } from 'node:test/reporters'

// biome-ignore lint/style/noDefaultExport: the runner takes a reporter only so.
export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string, void, void> {
  for await (const event of source) {
    if (event.type !== 'test:summary') continue
    const { file, success } = event.data
    if (file !== undefined && !success) yield `${file}\n`
  }
}
