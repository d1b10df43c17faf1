import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject, Question } from '@adjutant/core/contract'
import { testContext } from '@adjutant/testkit'
import { askUserTool } from './ask-user.ts'

async function run(input: JsonObject, answer?: string): Promise<{ readonly result: unknown; readonly asked: readonly Question[] }> {
  const asked: Question[] = []
  const ask = async (question: Question) => {
    asked.push(question)
    return answer ?? ''
  }
  await using cx = await testContext(answer === undefined ? {} : { ask })
  return { result: await askUserTool.execute(input, cx), asked }
}

describe('ask_user', () => {
  it('asks the person and gives the answer', async () => {
    assert.deepEqual(await run({ question: ' Which week? ', choices: ['12', '13'] }, '13'), {
      result: '13',
      asked: [{ text: 'Which week?', choices: ['12', '13'] }],
    })
    assert.deepEqual((await run({ question: 'Why?' }, 'because')).asked, [{ text: 'Why?' }])
  })

  it('fails where nobody answers', async () => {
    await assert.rejects(run({ question: 'Why?' }), { code: 'QUESTION_UNANSWERED' })
  })

  it('refuses what is no question', async () => {
    for (const input of [
      {},
      { question: '  ' },
      { question: 1 },
      { question: 'a', choices: ['b'] },
      { question: 'a', choices: 'bc' },
      { question: 'a', choices: ['b', 2] },
    ]) {
      await assert.rejects(run(input, 'x'), { code: 'INVALID_ARGUMENTS' }, JSON.stringify(input))
    }
  })

  it('changes nothing, and is not asked twice', () => {
    assert.equal(askUserTool.effect, 'read')
    assert.equal(askUserTool.repeatable, false)
  })
})
