/**
 * Levels that arguments may be nested. Ours: real arguments have fewer than twenty, and everything that walks a value
 * (checking, comparing, digesting) is safe at this depth.
 */
export const MAX_VALUE_DEPTH = 256
