/** What the report is about: the two weeks that are compared, and the task as the model gets it. */

export interface Week {
  /** ISO dates, Monday and Sunday, both included. */
  readonly from: string
  readonly to: string
}

export const CITY = 'Seattle'
export const THIS_WEEK: Week = { from: '2015-06-29', to: '2015-07-05' }
export const WEEK_BEFORE: Week = { from: '2015-06-22', to: '2015-06-28' }

export const TASK =
  `Write report.md: ${CITY}'s weather in the week of ${THIS_WEEK.from} to ${THIS_WEEK.to} compared with the week before. ` +
  'The database "weather" has a table daily_weather (location, date, precipitation in mm, temp_max and temp_min in °C, weather). ' +
  'What counts as a hot day, and what follows from it, is in the memory under "cooling-centres".'
