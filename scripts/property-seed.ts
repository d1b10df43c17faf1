/**
 * Loaded before each test file. Property tests draw the same examples in every run, so that a build fails for its change and for nothing else;
 * `PROPERTY_SEED=random` (or a number) draws others, to look for what has not been seen yet.
 */
import { configureGlobal } from 'fast-check'

const DEFAULT_SEED = 20_261_130
const asked = process.env.PROPERTY_SEED

if (asked !== 'random') {
  const seed = asked === undefined ? DEFAULT_SEED : Number(asked)
  if (!Number.isSafeInteger(seed)) throw new Error(`PROPERTY_SEED is ${asked}: give a whole number or "random"`)
  configureGlobal({ seed })
}
