export { countingIds } from './counting-ids.ts'
export { ManualClock } from './manual-clock.ts'
export { STEP_EXAMPLES, sessionStoreConformance } from './session-store-conformance.ts'
