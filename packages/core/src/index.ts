// The public face of @adjutant/core, room by room. Only what is meant for others is listed.

// admission
export { Admission, type AdmissionOptions, type Verdict } from './admission/admit.ts'
export { ApprovalMemory, type ApprovalScope, bindingOf, sameBinding } from './admission/approval.ts'
export { BUDGETS, Budget, type BudgetLimits, type BudgetName, type BudgetNotice, type BudgetOptions } from './admission/budget/budget.ts'
export { FlexibleRateStore } from './admission/budget/flexible-rate-store.ts'
export { type Metered, meterOf } from './admission/budget/meter.ts'
export { type MeteringQuery, type MeteringTotal, MeteringTotals } from './admission/budget/metering-totals.ts'
export { type Pricing, priceOf } from './admission/budget/pricing.ts'
export { RateLimiter, type RateLimiterOptions, type RateRule } from './admission/budget/rate-limiter.ts'
export { MemoryRateStore, type RateStore, type RateTaken } from './admission/budget/rate-store.ts'
export type { LoopGuardOptions, ToolLoopLimits } from './admission/loop-guard/limits.ts'
export { LoopGuard } from './admission/loop-guard/loop-guard.ts'
export { type LoopVerdict, loopError, type WatchedCall, type WatchedOutcome } from './admission/loop-guard/watched-call.ts'
export { nearestNames } from './admission/nearest-names.ts'
export { APPROVAL_MODES, MODE_POLICY } from './admission/permission.ts'
export {
  addTrust,
  asAgreed,
  type CommandCondition,
  documentDigests,
  type ExplainedRule,
  type LoadPolicyOptions,
  loadPolicy,
  type OneOrMore,
  POLICY_SCHEMA,
  POLICY_TIERS,
  type PolicyDocument,
  type PolicyExplanation,
  type PolicyFiles,
  type PolicyRule,
  policyPlaces,
  type ReadPolicyOptions,
  type RuleOutcome,
  RulePolicy,
  type RulePolicyOptions,
  type RuleScope,
  readPolicies,
  readPolicyDocument,
  readPolicyFile,
  readTrust,
  rolesDocument,
  type ValueCondition,
  type WhoCondition,
} from './admission/policy/index.ts'
// catalog
export type { ActiveLimits } from './catalog/active-set.ts'
export { isAtLeast, LINT_SEVERITIES, type LintFinding, type LintSeverity } from './catalog/lint/finding.ts'
export { type LintReport, lintTools } from './catalog/lint/lint-tools.ts'
export { toSarif } from './catalog/lint/sarif.ts'
export { everybodyMayUse, type MayUse, rolesMayUse } from './catalog/may-use.ts'
export type { MetaToolNames } from './catalog/meta-tools.ts'
export { hashEmbedder } from './catalog/search/hash-embedder.ts'
export { type HybridAnswer, HybridIndex } from './catalog/search/hybrid-index.ts'
export { type OpenAiEmbedderOptions, openAiEmbedder } from './catalog/search/openai-embedder.ts'
export type { FieldName, Ranking } from './catalog/search/ranking.ts'
export { type SearchAmong, searchAmong } from './catalog/search/search-among.ts'
export { type SearchDocument, searchDocumentOf } from './catalog/search/search-document.ts'
export type { SearchHit, SearchOptions, SearchReason } from './catalog/search/search-hit.ts'
export { ToolIndex, type ToolIndexOptions } from './catalog/search/tool-index.ts'
export { buildSystemPrompt, type SystemPrompt, type SystemPromptOptions, type ToolOverview } from './catalog/system-prompt.ts'
export { VisibleTools } from './catalog/visible-tools.ts'
// contract
export * from './contract/index.ts'
// dispatch
export { InteractionLock } from './dispatch/interaction-lock.ts'
export { type BatchStrategy, planBatch, type Wave } from './dispatch/plan-batch.ts'
// execution
export { ResultCache, type ResultCacheOptions } from './execution/cache.ts'
export { mayHaveChanged } from './execution/cache-changes.ts'
export { CallRunner, type CallRunnerOptions } from './execution/call-runner.ts'
export type { ExecutionHost } from './execution/call-scope.ts'
export type { CircuitOptions } from './execution/circuit.ts'
export { type NamespaceOptions, type NamespaceUsage, openNamespace, type SessionNamespace } from './execution/namespace.ts'
export { type NamespaceOwner, namespaceKey } from './execution/namespace-key.ts'
export { type SweepOptions, type Swept, sweepNamespaces } from './execution/namespace-removal.ts'
export { type NamespacesUsage, namespacesUsage } from './execution/namespace-usage.ts'
export { OriginGuards, type OriginRule } from './execution/origins.ts'
export { ResultMemory, type ResultMemoryOptions } from './execution/result-memory.ts'
export type { CallRun, RetryEvent } from './execution/retry-run.ts'
// intake
export { decodeStream } from './intake/decode-stream.ts'
export { createDecoder, type Decoder, type DecoderOptions } from './intake/dialect.ts'
export type { DecodeLimits } from './intake/wire.ts'
// models
export { type AiSdkModelOptions, fromAiSdkModel } from './models/ai-sdk.ts'
export type { AiSdkLanguageModel } from './models/ai-sdk-types.ts'
export { anthropicModel } from './models/anthropic.ts'
export { checkHistory } from './models/check-history.ts'
export { type CompatibleModelOptions, compatibleModel } from './models/compatible.ts'
export { geminiModel } from './models/gemini.ts'
export { type MendedHistory, mendHistory } from './models/mend-history.ts'
export type { ModelOptions } from './models/model-options.ts'
export { type ModelHandle, type ModelSpecOptions, modelFromSpec } from './models/model-spec.ts'
export { openAiModel } from './models/openai.ts'
export { openAiResponsesModel } from './models/openai-responses.ts'
export { type RecordedAnswer, recordedApprover } from './models/recorded-answers.ts'
export { parseRecording, type RecordedReply, type Recording, type RecordingDialect, readRecording } from './models/recording.ts'
export { type Replay, type ReplayOptions, startReplay } from './models/replay.ts'
// observe
export { type AuditFile, listAuditFiles, readAuditFile, verifyAuditFile } from './observe/audit/audit-files.ts'
export { type AuditOptions, auditObserver } from './observe/audit/audit-observer.ts'
export { type AuditSync, auditFile, type FileAuditOptions, FileAuditSink } from './observe/audit/file-audit-sink.ts'
export { MemoryAuditSink } from './observe/audit/memory-audit-sink.ts'
export { type ReadRecord, readRecord as readAuditRecord } from './observe/audit/read-record.ts'
export type { AuditLimits } from './observe/audit/record-body.ts'
export { type AuditEntry, sealAuditRecord } from './observe/audit/seal-record.ts'
export {
  follows as auditRecordsFollow,
  notFollowing as auditNotFollowing,
  notOpen as auditNotOpen,
  takenError as auditTaken,
} from './observe/audit/sink-errors.ts'
export { type AuditLine, type AuditProblem, type AuditReport, type VerifyAuditOptions, verifyAudit } from './observe/audit/verify-audit.ts'
export { meteringObserver } from './observe/metering/metering-observer.ts'
export { FileMeteringSink, MemoryMeteringSink } from './observe/metering/metering-sinks.ts'
export type { LatencySnapshot } from './observe/metrics/latency-histogram.ts'
export { type MetricsOptions, metricsObserver } from './observe/metrics/metrics-observer.ts'
export { type ToolStatistic, ToolStatistics } from './observe/metrics/tool-statistics.ts'
export { type TraceFollower, type TraceObserver, type TraceOptions, traceObserver } from './observe/trace/trace-observer.ts'
// registry
export { toAnthropicTools } from './registry/definitions/anthropic.ts'
export { toolDefinitionOf } from './registry/definitions/definition.ts'
export { toGeminiTools } from './registry/definitions/gemini.ts'
export { toMcpTools } from './registry/definitions/mcp.ts'
export { toOpenAiChatTools, toOpenAiResponsesTools } from './registry/definitions/openai.ts'
export { type DefinedTool, defineTool, type ToolSpec } from './registry/loaders/define-tool.ts'
export { loadModuleFolder } from './registry/loaders/module-folder.ts'
export type {
  ConversionPlan,
  PlanBranch,
  PlanTest,
} from './registry/loaders/reflected/conversion-plan.ts'
export {
  type ArgumentSource,
  REFLECTED_FORMAT,
  REFLECTED_VERSION,
  type ReflectedDocument,
  type ReflectedTool,
} from './registry/loaders/reflected/document.ts'
export { importReflectedTools } from './registry/loaders/reflected/import-tools.ts'
export { loadReflectedTools } from './registry/loaders/reflected/load-reflected.ts'
export { readReflectedDocument } from './registry/loaders/reflected/read-document.ts'
export { loadSkillFolder, loadSkillFolders, loadSkills, type SkillPlace } from './registry/loaders/skill/load-folder.ts'
export { loadSkill } from './registry/loaders/skill/load-skill.ts'
export { listBundledFiles, readBody } from './registry/loaders/skill/read-body.ts'
export type { LoadedSkill, Skill, SkillLoadReport } from './registry/loaders/skill/skill.ts'
export type { SkillContent } from './registry/loaders/skill/skill-content.ts'
export { legalToolName, WireNames, type WireRule } from './registry/naming.ts'
export { Registry } from './registry/registry.ts'
export { ToolSnapshot } from './registry/snapshot.ts'
// response
export { type BuildResultContext, type BuildResultInput, buildResult } from './response/build-result.ts'
export { type ClipOptions, type Clipped, clipText, DEFAULT_RESULT_CHARS } from './response/clip.ts'
export { type ClipByOptions, clipBy } from './response/clip-by.ts'
export { type ClipFileOptions, clipFile } from './response/clip-file.ts'
export { clipParts } from './response/clip-parts.ts'
export { toToolMessages } from './response/envelope.ts'
export { fenced, fenceNote, unfenced } from './response/fence.ts'
export { HINT_LANGUAGES, type Hint, type HintEntry, type HintExit, type HintLanguage } from './response/hints/hint.ts'
export { HintDictionary, mergeHintDictionaries } from './response/hints/hint-dictionary.ts'
export { readHintDictionary } from './response/hints/read-dictionary.ts'
export { failureOf, type RecogniseOptions, recogniseFailure } from './response/hints/recognise-failure.ts'
export { OrderBarrier } from './response/order-barrier.ts'
export {
  createRedactor,
  createStreamRedactor,
  type RedactedJson,
  type RedactorOptions,
  redactJson,
  type StreamRedactor,
} from './response/redact/index.ts'
export { spillText } from './response/spill.ts'
export { readSpill, readSpillByHandle, type SpillPage, type SpillQuery } from './response/spill-read.ts'
export { SPILL_LIMITS, type SpillLimits, setSpillLimits } from './response/spill-settings.ts'
export { SpillTarget } from './response/spill-target.ts'
export { type KeptElsewhere, type StreamClipOptions, type StreamClipped, StreamClipper } from './response/stream-clipper.ts'
export { resolveTerminalText, TerminalText } from './response/terminal-text.ts'
// session
export { type AgentAnswer, type AgentEnd, type AgentOptions, DEFAULT_MAX_ROUNDS, runAgent } from './session/agent.ts'
export { MemoryDurableStore } from './session/durable/memory-durable-store.ts'
export { MemoryResultStore } from './session/durable/memory-result-store.ts'
export { type DurableSessionOptions, openDurableSession } from './session/durable/open-durable-session.ts'
export { thisNode } from './session/durable/process-node.ts'
export { SessionPaused } from './session/durable/session-paused.ts'
export type { SessionState, SessionStateFields } from './session/durable/session-state.ts'
export { titleOf } from './session/durable/title-of.ts'
export { FileSessionStore } from './session/file-store.ts'
export { type MemoryJobQueueOptions, memoryJobQueue } from './session/jobs/memory-job-queue.ts'
export * from './session/jobs/queue/index.ts'
export { followUp, SESSION_RESUME_JOB, sessionResumeJob, sessionResumeKey } from './session/jobs/session-resume.ts'
export { type ResumableSession, type SessionResumeOptions, sessionResumeHandler } from './session/jobs/session-resume-handler.ts'
export { isToolJob, TOOL_JOB } from './session/jobs/tool-job.ts'
export { type ToolJobOptions, toolJobHandler } from './session/jobs/tool-job-handler.ts'
export { MemorySessionStore } from './session/memory-store.ts'
export type { OpenTurn } from './session/open-turn.ts'
export { planMessage } from './session/plan/plan-message.ts'
export { type PlanStepResult, type RunPlanOptions, runPlan } from './session/run-plan.ts'
export { Session } from './session/session.ts'
export type { SessionCatalogOptions, SessionOptions } from './session/session-options.ts'
export { isStepRecord } from './session/step-record.ts'
export type { TurnStrategy } from './session/turn.ts'

// util
export { canonicalJson, digestOf } from './util/canonical-json.ts'
export { type FileLock, takeLock } from './util/file-lock.ts'
export { matchesName } from './util/match-name.ts'
export { pageLimit, readCursor, writeCursor } from './util/page-cursor.ts'
export { randomIds } from './util/random-ids.ts'
export { retryAfterMs } from './util/retry-after.ts'
export { systemClock } from './util/system-clock.ts'
