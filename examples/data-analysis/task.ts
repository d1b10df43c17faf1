/** The task as the model gets it, and the names that it fixes. */

export const DATA_NAME = 'strikes.csv'
export const PICTURE_NAME = 'strikes.png'

/** Whole years: the file ends within the next one. */
export const FIRST_YEAR = 1990
export const LAST_YEAR = 2001

export const TASK =
  `${DATA_NAME} lists collisions of aircraft with animals that three airports reported. For each airport: do they grow more, and how fast? ` +
  `Which month has the most? How fast were the aircraft, by phase of flight? Draw it as ${PICTURE_NAME}.`
