import { createHash } from 'node:crypto'

/** Owns what was found in a text and how it is called afterwards. A label never tells anything of the secret but that it is the same one. */

export interface Finding {
  /** UTF-16 offsets into the text, `start` inclusive, `end` exclusive. */
  readonly start: number
  readonly end: number
  /** e.g. `github-token`, `env GITHUB_TOKEN`. */
  readonly kind: string
  /** What makes two findings the same secret; absent: the found text itself. */
  readonly identity?: string
}

/** More different secrets than this in one session get a label without a number: memory stays bounded. */
const MAX_NUMBERED = 10_000

/** Long secrets are told apart by their beginning, so that a stream need not keep the whole of one. */
export const IDENTITY_CHARS = 512

/** Numbers the secrets of one session; keeps digests only. */
export class LabelBook {
  readonly #numbers = new Map<string, number>()

  /** `[secret removed: github-token #1]`; the same secret has the same number. */
  label(finding: Finding, found: string): string {
    const digest = createHash('sha256')
      .update(finding.identity ?? found.slice(0, IDENTITY_CHARS))
      .digest('base64')
    let number = this.#numbers.get(digest)
    if (number === undefined && this.#numbers.size < MAX_NUMBERED) {
      number = this.#numbers.size + 1
      this.#numbers.set(digest, number)
    }
    return number === undefined ? `[secret removed: ${finding.kind}]` : `[secret removed: ${finding.kind} #${number}]`
  }
}
