/**
 * The example's run: looks whether there is a box with matplotlib, prepares the data, then lets `adjutant run` do the work in a process of its own
 * (with this terminal, so that the person is asked), and sums up. Arguments go on to `adjutant run`: `npm start -- --model openai:gpt-5`.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callTable, readCalls } from '../weekly-report/call-table.ts'
import { FOLDERS, prepare, whatIsMissing } from './prepare.ts'
import { TASK } from './task.ts'

const SOURCE = '--conditions=adjutant-source'

async function start(): Promise<number> {
  const missing = await whatIsMissing({ env: process.env })
  if (missing !== undefined) {
    say(missing)
    return 1
  }
  const passedOn = process.argv.slice(2)
  const live = passedOn.some((word) => word === '--model' || word.startsWith('--model='))
  await prepare()
  say(`Task: ${TASK}\n`)
  if (live) say('A live model decides; what it writes is run in a box.\n')
  else say('The model is a recorded conversation; the file, the box, the programs and the picture are real.\n')
  const code = await adjutant(['run', TASK, '--config', join(import.meta.dirname, 'adjutant.yaml'), ...passedOn])
  const calls = await readCalls(FOLDERS.sessions)
  if (calls.length > 0) process.stdout.write(`\n${callTable(calls)}\n`)
  const picture = relative(process.cwd(), FOLDERS.picture)
  const drawn = existsSync(FOLDERS.picture)
  process.stdout.write(drawn ? `\nThe picture: ${picture}\n` : `\nThere is no ${picture}: nothing was drawn.\n`)
  return code
}

/** Runs the command with this process's terminal. Ctrl-C reaches it as well; it stops cleanly, and this waits for that. */
function adjutant(args: readonly string[]): Promise<number> {
  const folder = new URL('.', import.meta.resolve('adjutant/package.json'))
  const source = process.execArgv.includes(SOURCE)
  const program = source ? [SOURCE, fileURLToPath(new URL('src/entry.ts', folder))] : [fileURLToPath(new URL('bin/adjutant.js', folder))]
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...program, ...args], { stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', (code) => {
      process.off('SIGINT', ignore)
      resolve(code ?? 1)
    })
  })
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

process.exitCode = await start()
