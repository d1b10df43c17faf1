/** Functions that take one of several words. */

export type Priority = 'low' | 'normal' | 'high'
type Size = 1 | 2 | 4

/** Sets a priority. */
export function setPriority(priority: Priority): { priority: Priority } {
  return { priority }
}

/** Sets a priority that has a default. */
export function setPriorityOrNormal(priority: Priority = 'normal'): { priority: Priority } {
  return { priority }
}

/** Takes a size. */
export function takeSize(size: Size): { size: Size } {
  return { size }
}

/** Takes a word, a number or a truth. */
export function takeMixedWords(word: 'auto' | 0 | false): { word: 'auto' | 0 | false } {
  return { word }
}

/** Takes a word or nothing. */
export function takeWordOrNull(word: 'on' | 'off' | null): { word: 'on' | 'off' | null } {
  return { word }
}

/** Takes one word only. */
export function takeOneWord(kind: 'fixed'): { kind: 'fixed' } {
  return { kind }
}

/** Takes the names of a record. */
export function takeKey(key: keyof { red: 1; green: 2; blue: 3 }): { key: string } {
  return { key: key satisfies 'red' | 'green' | 'blue' }
}

const LEVELS = ['debug', 'info', 'error'] as const

/** Takes a word out of a list of constants. */
export function takeLevel(level: (typeof LEVELS)[number]): { level: string } {
  return { level }
}

export const Colour = { Red: 'red', Green: 'green' } as const
export type Colour = (typeof Colour)[keyof typeof Colour]

/** Takes a colour, with a default by its name. */
export function takeColour(colour: Colour = Colour.Green): { colour: Colour } {
  return { colour }
}

/** Takes words but one. */
export function takeExcluded(priority: Exclude<Priority, 'low'>): { priority: string } {
  return { priority }
}

/** Takes a word or any other text. */
export function takeSuggested(model: 'small' | 'large' | (string & {})): { model: string } {
  return { model }
}

/** Takes a number of an item. */
export function takeItemName(name: `item-${number}`): { name: string } {
  return { name }
}

/** Takes a version. */
export function takeVersion(version: `v${bigint}.${bigint}`): { version: string } {
  return { version }
}

/** Takes an event of a thing. */
export function takeEvent(event: `${'user' | 'order'}:${'made' | 'gone'}`): { event: string } {
  return { event }
}

/** Takes text in capitals. */
export function takeCapitals(text: Uppercase<string>): { text: string } {
  return { text }
}

/** Takes a path with a fixed beginning. */
export function takeBeginning(path: `/api/${string}`): { path: string } {
  return { path }
}
