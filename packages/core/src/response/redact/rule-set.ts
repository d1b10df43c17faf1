/**
 * Owns the way to the kept rule set (the recommended rules of secretlint): loaded on first need, given short pieces of text only, since
 * its patterns were not written for hostile megabytes. Never rejects: where it fails, the caller's own shapes decide.
 */
import type { lintSource } from '@secretlint/core'
import type { creator } from '@secretlint/secretlint-rule-preset-recommend'
import type { Finding } from './finding.ts'

interface Loaded {
  readonly lint: typeof lintSource
  readonly preset: typeof creator
}

/** Comments in a text can switch the rules off: no text may. */
const COMMENT_RULE = '@secretlint/secretlint-rule-filter-comments'

let loading: Promise<Loaded> | undefined

async function load(): Promise<Loaded> {
  const [core, rules] = await Promise.all([import('@secretlint/core'), import('@secretlint/secretlint-rule-preset-recommend')])
  return { lint: core.lintSource, preset: rules.creator }
}

/** What the rules find in a short text; undefined when they could not be asked. */
export async function findByRules(text: string): Promise<readonly Finding[] | undefined> {
  try {
    loading ??= load()
    const { lint, preset } = await loading
    // A mark of byte order at the beginning would be cut away and shift every offset.
    const content = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text
    const { messages } = await lint({
      source: { content, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
      options: {
        noPhysicFilePath: true,
        config: { rules: [{ id: preset.meta.id, rule: preset, rules: [{ id: COMMENT_RULE, disabled: true }] }] },
      },
    })
    return messages.map(({ range, messageId }) => ({ start: range[0], end: range[1], kind: kindOf(messageId) }))
  } catch {
    return undefined
  }
}

/** `GITHUB_TOKEN` and `AWSAccessKeyID` become `github-token` and `aws-access-key-id`. */
function kindOf(messageId: string): string {
  return messageId
    .replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3-$2$4')
    .replaceAll('_', '-')
    .toLowerCase()
}
