/** How much of a command is read. Beyond it nothing is guessed: the command is dangerous, with that as its reason. */

/** UTF-16 units of one command. Longer ones are scripts that belong into a file. */
export const MOST_UNITS = 65_536
/** Scripts within scripts: `bash -c`, `eval`, `watch`, wrappers. People nest two or three. */
export const MOST_NESTED = 12
/** Scripts read for one command; each costs a parse. */
export const MOST_SCRIPTS = 100
/** UTF-16 units of all scripts of one command together: a script within a script is read again. */
export const MOST_SHARED_UNITS = 3 * MOST_UNITS
/** Nodes below each other in one syntax tree. */
export const MOST_DEPTH = 150
export const MOST_NODES = 60_000
/** Words that one brace expansion may become. */
export const MOST_BRACES = 64
/**
 * Calls of the parser's progress callback, a measure of work that is the same on every machine. An honest command of the greatest length
 * takes about 600; the parser's error recovery can take thousands.
 */
export const MOST_STEPS = 2_500
