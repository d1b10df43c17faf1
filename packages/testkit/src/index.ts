export { countingIds } from './counting-ids.ts'
export { ManualClock } from './manual-clock.ts'
