export { createRedactor, createStreamRedactor, type RedactorOptions, type StreamRedactor } from './create-redactor.ts'
export { type RedactedJson, redactJson } from './redact-json.ts'
