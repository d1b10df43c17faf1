/** Functions of choices between objects. */

export type Shape = { kind: 'circle'; radius: number } | { kind: 'rectangle'; width: number; height: number } | { kind: 'point' }

/** Draws a shape. */
export function drawShape(shape: Shape, colour = 'black'): { shape: Shape; colour: string } {
  return { shape, colour }
}

/** Draws a shape that is all there is. */
export function drawOnly(shape: Shape): Shape {
  return { ...shape }
}

/** Draws many shapes. */
export function drawMany(shapes: Shape[]): { shapes: Shape[] } {
  return { shapes }
}

/** Draws what may be nothing. */
export function drawMaybe(shape: Shape | null): { shape: Shape | null } {
  return { shape }
}

/** Takes a text or an object. */
export function takeTextOrObject(value: string | { id: number }): { value: string | { id: number } } {
  return { value }
}

/** Takes one or many. */
export function takeOneOrMany(value: string | string[]): { value: string | string[] } {
  return { value }
}

/** Takes lists of two kinds. */
export function takeListKinds(value: { a: number }[] | { b: string }[]): { value: { a: number }[] | { b: string }[] } {
  return { value }
}

/** Takes either by its members. */
export function takeByMembers(
  value: { path: string } | { url: string; retries?: number },
): { path: string } | { url: string; retries?: number } {
  return { ...value }
}

/** Takes one and not the other. */
export function takeExclusive(value: { id: number; name?: never } | { name: string; id?: never }): { id?: number; name?: string } {
  return { ...value }
}

/** Takes a choice by a truth. */
export function takeByTruth(value: { found: true; at: number } | { found: false }): {
  value: { found: true; at: number } | { found: false }
} {
  return { value }
}

/** Takes a choice by a number. */
export function takeByNumber(value: { version: 1; a: string } | { version: 2; b: string }): {
  value: { version: 1; a: string } | { version: 2; b: string }
} {
  return { value }
}

/** Takes a truth, a list or an object. */
export function takeManyKinds(value: boolean | number[] | { x: string }): { value: boolean | number[] | { x: string } } {
  return { value }
}

/** Takes what extends a choice. */
export function takeTagged(value: Shape & { id: string }): { value: Shape & { id: string } } {
  return { value }
}
