/**
 * Owns one run of code from its start to what the model reads: output as it came, progress, a question that nobody answers, files, how it ended.
 * A run that failed is a result and not an exception; only a broken box or a stopped call throws.
 */
import {
  AdjutantError,
  type CallContext,
  type Clock,
  type ContentPart,
  type JsonObject,
  type SandboxLanguage,
  type SandboxReport,
  type SandboxRun,
  ToolOutput,
} from '@adjutant/core/contract'
import { type ChangedFiles, changedFiles, noteFiles } from './changed-files.ts'
import { endNotes, lost, NOBODY_TYPES } from './end-notes.ts'
import { RunOutput } from './run-output.ts'
import type { OpenBox } from './session-boxes.ts'

export interface CodeRun {
  readonly lang: SandboxLanguage
  readonly code: string
  /** In the shell or interpreter that stays. */
  readonly session: boolean
  readonly timeoutMs: number
  /** It was read and changes nothing: nobody looks for files that it made. */
  readonly onlyReads?: boolean
  readonly env?: Readonly<Record<string, string>>
}

export interface RunCodeOptions {
  readonly clock: Clock
  /** The workspace is a folder of the host, which others change as well. */
  readonly isShared: boolean
}

/** Milliseconds between two words of progress. */
const TELL_EVERY_MS = 200
/** Milliseconds of silence after a question, until it counts as one that waits. */
const WAITS_AFTER_MS = 4_000

/** @throws AdjutantError CANCELLED, SANDBOX_FAILED, UNSUPPORTED */
export async function runCode(box: OpenBox, run: CodeRun, cx: CallContext, options: RunCodeOptions): Promise<ToolOutput> {
  const changes = run.onlyReads === true ? noChanges : changedFiles
  if (run.onlyReads !== true) await noteFiles(box, options.isShared)
  const output = new RunOutput()
  const watch = new Watch(output, cx, options.clock)
  const keeper = run.session ? (run.lang === 'bash' ? 'shell' : 'interpreter') : undefined
  const opening = replacedNote(box, options.isShared)
  try {
    const report = await runIn(box, {
      lang: run.lang,
      code: run.code,
      session: run.session,
      ...(run.env === undefined ? {} : { env: run.env }),
      limits: { wallMs: run.timeoutMs },
      signal: AbortSignal.any([cx.signal, watch.signal]),
      output: (stream, bytes) => watch.told(stream, bytes),
    })
    watch.stop()
    if (report.stateLost === true && run.lang === 'bash') box.jobs.clear()
    const files = await changes(box)
    const failed = report.exitCode !== 0
    const notes = endNotes({
      report,
      isLost: run.session && tellsLoss(box, run.lang, report.stateLost === true),
      timeoutMs: run.timeoutMs,
      missedSomebody: failed && output.missedSomebody(),
      ...(keeper === undefined ? {} : { keeper }),
      keptNothing: keeper !== undefined && !box.keepsState,
    })
    const structured: JsonObject = {
      ...(report.exitCode === undefined ? {} : { exitCode: report.exitCode }),
      ...(report.signal === undefined ? {} : { signal: report.signal }),
      ...(report.limit === undefined ? {} : { limit: report.limit }),
      timedOut: report.timedOut,
      oom: report.oom,
      backend: report.backend,
      durationMs: Math.round(report.durationMs),
      files: files.structured,
    }
    return new ToolOutput(parts(output.text(report), [...opening, ...notes], files), { isError: failed, structured })
  } catch (error) {
    watch.stop()
    const stopped = AdjutantError.isInstance(error) && error.code === 'CANCELLED'
    if (!stopped || cx.signal.aborted || !watch.signal.aborted) throw error
    if (run.lang === 'bash' && run.session) box.jobs.clear()
    if (run.session) box.toldLost.add(run.lang)
    const files = await changes(box)
    const notes = [
      `[ended: it was waiting for an answer to ${JSON.stringify(watch.question)}]`,
      NOBODY_TYPES,
      ...(keeper === undefined ? [] : [lost(keeper)]),
    ]
    const structured: JsonObject = {
      waitedForInput: true,
      timedOut: false,
      oom: false,
      backend: box.sandbox.backend,
      files: files.structured,
    }
    return new ToolOutput(parts(output.text(), [...opening, ...notes], files), { isError: true, structured })
  }
}

async function noChanges(): Promise<ChangedFiles> {
  return { pictures: [], structured: [] }
}

/** A backend tells each loss once; one that was told with a failure of the box is not told again by it. */
function tellsLoss(box: OpenBox, lang: SandboxLanguage, isLost: boolean): boolean {
  const wasTold = box.toldLost.delete(lang)
  return isLost && !wasTold
}

/** Where nothing can be kept between runs, each runs by itself, and the result says so. */
async function runIn(box: OpenBox, run: SandboxRun): Promise<SandboxReport> {
  if (run.session !== true || !box.keepsState) return box.sandbox.run({ ...run, session: false })
  try {
    return await box.sandbox.run(run)
  } catch (error) {
    if (!AdjutantError.isInstance(error) || error.code !== 'UNSUPPORTED') throw error
    const report = await box.sandbox.run({ ...run, session: false })
    box.keepsState = false
    return report
  }
}

function replacedNote(box: OpenBox, isShared: boolean): readonly string[] {
  if (!box.replaced) return []
  box.replaced = false
  return [
    isShared
      ? '[a new box: variables and background jobs of the one before are gone, files are still there]'
      : '[a new box: files, variables and background jobs of the one before are gone]',
  ]
}

function parts(text: string, notes: readonly string[], files: ChangedFiles): readonly ContentPart[] {
  const said = [...notes, ...(files.note === undefined ? [] : [files.note])]
  const body = text.replace(/\n+$/, '')
  const whole = [body, ...said].filter((part) => part !== '').join('\n')
  return [{ type: 'text', text: whole === '' ? '(no output)' : whole }, ...files.pictures]
}

class Watch {
  readonly #output: RunOutput
  readonly #cx: CallContext
  readonly #clock: Clock
  readonly #stop = new AbortController()
  #toldAt = Number.NEGATIVE_INFINITY
  #stopWaiting = (): void => {}
  #stopTelling = (): void => {}
  #tellsLater = false
  #over = false
  question = ''

  constructor(output: RunOutput, cx: CallContext, clock: Clock) {
    this.#output = output
    this.#cx = cx
    this.#clock = clock
  }

  /** Aborts when the run waits for somebody. */
  get signal(): AbortSignal {
    return this.#stop.signal
  }

  told(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    this.#output.add(stream, bytes)
    if (this.#over) return
    this.#stopWaiting()
    const question = this.#output.prompt()
    if (question !== undefined)
      this.#stopWaiting = this.#clock.after(WAITS_AFTER_MS, () => {
        this.question = question
        this.#stop.abort()
      })
    const wait = this.#toldAt + TELL_EVERY_MS - this.#clock.monotonic()
    if (wait <= 0) this.#tell()
    else if (!this.#tellsLater) {
      this.#tellsLater = true
      this.#stopTelling = this.#clock.after(wait, () => this.#tell())
    }
  }

  #tell(): void {
    this.#tellsLater = false
    this.#toldAt = this.#clock.monotonic()
    const message = this.#output.lastLine()
    if (message !== '') this.#cx.progress({ message })
  }

  stop(): void {
    this.#over = true
    this.#stopWaiting()
    this.#stopTelling()
  }
}
