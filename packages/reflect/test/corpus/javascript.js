// @ts-check
/** Functions of plain JavaScript, with their types in doc comments. */

/**
 * Adds in JavaScript.
 * @param {number} first the first
 * @param {number} [second=2] the second
 */
export function addInJavaScript(first, second = 2) {
  return { first, second }
}

/**
 * @typedef {object} Ticket
 * @property {string} title what it is about
 * @property {'low' | 'high'} [priority] how soon
 */

/**
 * Opens a ticket.
 * @param {Ticket} ticket
 */
export function openTicket(ticket) {
  return { ...ticket }
}

/**
 * Takes words in JavaScript.
 * @param {string[]} words
 * @param {Date} [at]
 */
export function wordsInJavaScript(words, at) {
  return { words, at: at?.toISOString() }
}

/**
 * Takes options by their defaults.
 * @param {object} options
 * @param {string} options.path where
 * @param {number} [options.depth] how deep
 */
export function optionsInJavaScript({ path, depth = 1 }) {
  return { path, depth }
}
