/**
 * Owns processes that go on in a session's box after the call that started them: each is started from the session's shell in a process group of its own,
 * with its output in a file of the box. They end with the box, or with the shell when that ends. What is said of them is asked of the box each time;
 * it can lie about its own processes and about nothing else.
 */
import { AdjutantError, type CallContext, type SandboxReport } from '@adjutant/core/contract'
import type { Job, OpenBox } from './session-boxes.ts'

const FOLDER = '/tmp/.adjutant-jobs'
const MOST_JOBS = 16
/** Of a job's output, from its end. */
const SHOWN_BYTES = 16_000
const ASK_MS = 15_000

interface JobState {
  readonly job: Job
  readonly state: string
}

/** @throws AdjutantError UNSUPPORTED where nothing ends them, TOO_LARGE, TOOL_FAILED */
export async function startJob(box: OpenBox, command: string, cx: CallContext): Promise<Job> {
  if (!box.sandbox.enforces.has('processes'))
    throw new AdjutantError('UNSUPPORTED', `${box.sandbox.backend} would not end a background process with its session`, {
      hint: 'Run it in the foreground.',
    })
  if (box.jobs.size >= MOST_JOBS)
    throw new AdjutantError('TOO_LARGE', `${MOST_JOBS} background jobs are there already`, { hint: 'Stop one with background_jobs first.' })
  const number = nextNumber(box)
  const at = `${FOLDER}/${number}`
  // In a subshell: neither options nor `$!` of the session's shell change.
  const code = [
    `( set +eu; command mkdir -p ${FOLDER} && command rm -f ${at}.exit && { set -m;`,
    `{ ( eval ${quoted(command)} ); builtin echo "$?" >${at}.exit; } </dev/null >${at}.log 2>&1 &`,
    'builtin echo "started $!"; } )',
  ].join('\n')
  const said = textOf(await ask(box, code, cx))
  const pid = Number(/^started (\d{1,9})$/m.exec(said)?.[1])
  if (!Number.isSafeInteger(pid) || pid < 2)
    throw new AdjutantError(
      'TOOL_FAILED',
      `the background job could not be started: ${said.trim().slice(0, 300) || 'the shell said nothing'}`,
    )
  const job: Job = { id: `job_${number}`, command, pid, stopped: false }
  box.jobs.set(job.id, job)
  return job
}

interface BoxJobs {
  readonly jobs: readonly JobState[]
  /** What the shell itself started with `&` and still runs: as it tells them. */
  readonly others: readonly { readonly pid: string; readonly command: string }[]
}

/** All jobs of the box with what became of them. */
export async function jobStates(box: OpenBox, cx: CallContext): Promise<BoxJobs> {
  const jobs = [...box.jobs.values()]
  const looks = jobs.map((job) => {
    const at = fileOf(job)
    return `if [[ -s ${at}.exit ]]; then IFS= builtin read -r s <${at}.exit; builtin echo "${job.id} exit $s"; elif builtin kill -0 ${job.pid} 2>/dev/null; then builtin echo "${job.id} running"; else builtin echo "${job.id} ended"; fi`
  })
  // Only in a substitution does a subshell still know the shell's own jobs.
  const report = await ask(box, `builtin echo "$(builtin jobs -l)"\n( set +eu\n${[...looks, ':'].join('\n')}\n)`, cx)
  if (report.stateLost === true) return { jobs: [], others: [] }
  const said = textOf(report)
  const states = jobs.map((job) => {
    const [, state = 'unknown'] = new RegExp(`^${job.id} (running|ended|exit \\d{1,3})$`, 'm').exec(said) ?? []
    return { job, state: job.stopped && state !== 'running' ? 'stopped' : state.replace('exit', 'ended, exit code') }
  })
  const others = [...said.matchAll(/^\[\d{1,6}\][+-]? {1,8}(\d{1,9}) Running {1,40}(\S.*)$/gm)]
  return { jobs: states, others: others.slice(0, MOST_JOBS).map(([, pid = '', command = '']) => ({ pid, command })) }
}

/** The end of what it printed. @throws AdjutantError NOT_FOUND */
export async function jobOutput(box: OpenBox, handle: string, cx: CallContext): Promise<string> {
  const job = await jobOf(box, handle, cx)
  return textOf(await ask(box, `( command tail -c ${SHOWN_BYTES} ${fileOf(job)}.log )`, cx))
}

/** Ends it with all of its group: asked to first, then by force. @throws AdjutantError NOT_FOUND */
export async function stopJob(box: OpenBox, handle: string, cx: CallContext): Promise<void> {
  const job = await jobOf(box, handle, cx)
  job.stopped = true
  const group = `-- -${job.pid}`
  await ask(
    box,
    `( set +eu; builtin kill -TERM ${group} 2>/dev/null || exit 0\nfor n in 1 2 3 4 5 6 7 8 9 10; do builtin kill -0 ${group} 2>/dev/null || exit 0; command sleep 0.1; done\nbuiltin kill -KILL ${group} 2>/dev/null; exit 0 )`,
    cx,
  )
}

/** What a model calls it by: nobody can make it up, and it is good in this session only, for this very box. */
export function jobHandle(box: OpenBox, job: Job, cx: CallContext): Promise<string> {
  return cx.namespace.issueHandle('job', nameOf(box, job))
}

/** A box that was replaced had jobs of the same numbers. */
function nameOf(box: OpenBox, job: Job): string {
  return `${job.id.slice(4)}-${box.sandbox.id.slice(-6)}`
}

async function jobOf(box: OpenBox, handle: string, cx: CallContext): Promise<Job> {
  const name = await cx.namespace.readHandle('job', handle).catch((error: unknown) => {
    if (AdjutantError.isInstance(error) && error.code === 'NAMESPACE_ESCAPE') return undefined
    throw error
  })
  const jobs = [...box.jobs.values()]
  const job = name === undefined ? undefined : jobs.find((one) => nameOf(box, one) === name)
  if (job !== undefined) return job
  const known = await Promise.all(jobs.map((one) => jobHandle(box, one, cx)))
  throw new AdjutantError('NOT_FOUND', `there is no background job ${JSON.stringify(handle.slice(0, 80))}`, {
    hint: known.length === 0 ? 'None was started, or the shell that had them has ended.' : `There are: ${known.join(', ')}.`,
  })
}

function nextNumber(box: OpenBox): number {
  const numbers = [...box.jobs.values()].map((job) => Number(job.id.slice(4)))
  return Math.max(0, ...numbers) + 1
}

function fileOf(job: Job): string {
  return `${FOLDER}/${job.id.slice(4)}`
}

async function ask(box: OpenBox, code: string, cx: CallContext): Promise<SandboxReport> {
  const report = await box.sandbox.run({ lang: 'bash', code, session: true, limits: { wallMs: ASK_MS }, signal: cx.signal })
  // A new shell has none of them.
  if (report.stateLost === true) box.jobs.clear()
  return report
}

function textOf(report: SandboxReport): string {
  return new TextDecoder().decode(report.stdout)
}

/** One word for a shell, whatever is in it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
