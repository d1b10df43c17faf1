// The public face of @adjutant/core, room by room. Only what is meant for others is listed.

// contract
export * from './contract/index.ts'

// registry

// intake

// admission

// dispatch

// execution

// response

// session

// models

// util
export { canonicalJson, digestOf } from './util/canonical-json.ts'
export { randomIds } from './util/random-ids.ts'
export { systemClock } from './util/system-clock.ts'
