import type { ToolResult } from '../../contract/result.ts'
import { fenced } from '../../response/fence.ts'

/** What the model reads when a job of its session has ended: by no call, so it says itself which one it was. */
export function jobMessage(jobId: string, result: ToolResult): string {
  const came = result.outcome === 'ok' ? 'is done' : result.outcome === 'unknown' ? 'was lost' : 'has failed'
  return `The background job ${jobId} (${result.name}, call ${result.id}) ${came}. This is what it gave back:\n\n${fenced(result.text, result)}`
}
