import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import { findByRules } from './rule-set.ts'

/** Every rule that the shapes of the pre-filter, or our own kinds, have an answer to. A new one needs a shape first. */
const KNOWN =
  'aws gcp privatekey npm basicauth slack sendgrid shopify stripe github gitlab grafana openai anthropic groq huggingface linear notion 1password database-connection-string hashicorp-vault vercel databricks docker figma cloudflare tailscale filter-comments'

describe('the rule set', () => {
  it('has the rules that the pre-filter knows of', () => {
    assert.deepEqual(
      rules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', '')),
      KNOWN.split(' '),
    )
  })

  it('names what it finds and where, behind a mark of byte order too', async () => {
    const token = `gh${'p_'}${'a1B2'.repeat(9)}`
    for (const head of ['', 'token ', '\ufeff', '\ufeffx ', '\ud800 ']) {
      assert.deepEqual(await findByRules(`${head}${token} end`), [
        { start: head.length, end: head.length + token.length, kind: 'github-token' },
      ])
    }
    assert.deepEqual(await findByRules(''), [])
  })
})
