import type { JsonObject } from '../../contract/json.ts'
import type { ContentPart } from '../../contract/result.ts'
import { maskArguments, maskMoments } from './error-mask.ts'
import type { TextDigest } from './text-digest.ts'
import type { WatchedOutcome } from './watched-call.ts'

/** What a call came to. A success is compared to the letter, with its images; a failure without the times in it. */
export function outcomeDigest(digest: TextDigest, result: WatchedOutcome): number {
  const { outcome, code, parts } = result
  const text = ownText(result)
  if (outcome !== 'ok') {
    return digest
      .start()
      .word(2)
      .text(code ?? '')
      .text(maskMoments(text))
      .value()
  }
  digest.start().word(1).text(text)
  if (parts !== undefined) for (const part of parts) mixPart(digest, part)
  return digest.value()
}

/** Which error it was, whatever the arguments. */
export function errorDigest(digest: TextDigest, outcome: WatchedOutcome, name: string, input: JsonObject | string): number {
  return digest
    .start()
    .word(3)
    .text(outcome.code ?? '')
    .text(maskArguments(ownText(outcome), name, input))
    .value()
}

function ownText({ text, spill }: WatchedOutcome): string {
  return spill === undefined ? text : text.replaceAll(spill.path, '').replaceAll(spill.handle, '')
}

function mixPart(digest: TextDigest, part: ContentPart): void {
  switch (part.type) {
    case 'text':
      digest.word(21).text(part.text)
      return
    case 'image':
    case 'audio':
      digest.word(22).text(part.data)
      return
    case 'resource':
      digest
        .word(23)
        .text(part.uri)
        .text(part.text ?? '')
      return
    default:
      part satisfies never
  }
}
