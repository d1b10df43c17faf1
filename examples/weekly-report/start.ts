/**
 * The example's run: prepares the data, then lets `adjutant run` do the work in a process of its own (with this terminal, so that
 * the person is asked), and sums up. Arguments go on to `adjutant run`: `npm start -- --model openai:gpt-5`.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callTable, readCalls } from './call-table.ts'
import { FOLDERS, prepare } from './prepare.ts'
import { TASK } from './task.ts'

const SOURCE = '--conditions=adjutant-source'

async function start(): Promise<number> {
  const passedOn = process.argv.slice(2)
  const live = passedOn.some((word) => word === '--model' || word.startsWith('--model='))
  await prepare()
  say(`Task: ${TASK}\n`)
  if (live) say('A live model decides; everything it asks for is carried out here.\n')
  else {
    say('The model is a recorded conversation; everything it asks for is carried out here and now: queries, the skill, a server, files.')
    if (process.stdin.isTTY)
      say('You decide on two writes. The recorded person said: no to summary.csv ("one file only"), yes to report.md.')
    say('')
  }
  const code = await adjutant(['run', TASK, '--config', join(import.meta.dirname, 'adjutant.yaml'), ...passedOn])
  const calls = await readCalls(FOLDERS.sessions)
  if (calls.length > 0) process.stdout.write(`\n${callTable(calls)}\n`)
  const report = relative(process.cwd(), FOLDERS.report)
  const written = existsSync(FOLDERS.report)
  process.stdout.write(written ? `\nThe report: ${report}\n` : `\nThere is no ${report}: nothing was written to it.\n`)
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
