/** Words that say little about which tool is meant. They are found in names and descriptions like any other; a query weighs them less. */

/** Carry grammar, not meaning: a query passes over them, unless it has nothing else. */
export const FUNCTION_WORDS =
  'a an the of to in on for from by with at as is are was were be been being am do does did can could would should will shall may might must i me my mine we us our you your he she it its they them their this that these those or not no so if than too very just here what which who whom whose when where why how all any some each every both few more most other such only own same into about over under again further there s t d ll ve re m don hi hey hello thank thanks ok okay'

/** Ask for something, whatever it is. */
export const REQUEST_WORDS =
  'help need want like know tell let get give find show make use using used have has had able provide look please'

/** Join one request to the next. */
export const CONNECTORS = 'and then also additionally furthermore moreover finally afterwards next lastly'
