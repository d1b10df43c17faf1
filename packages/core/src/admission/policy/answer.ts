/**
 * Owns the three answers to "does it hold?": yes, no, and nobody can say (a value of the wrong kind, a path with two readings). A rule
 * that gives needs a yes; a rule that takes is held off by a no alone.
 */

/** Undefined: nobody can say. */
export type Answer = boolean | undefined

/** Over the things that one value stands for (the commands of a script, the files that a path may be): all of them, or at least one. */
export type Quantifier = 'every' | 'some'

export type ValueTest = (value: unknown, quantifier: Quantifier) => Answer

export function negated(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer
}

export function flipped(quantifier: Quantifier): Quantifier {
  return quantifier === 'every' ? 'some' : 'every'
}

/** Yes when all are; no as soon as one is. */
export function both(a: Answer, b: Answer): Answer {
  return a === false || b === false ? false : a === true && b === true ? true : undefined
}

/** Yes as soon as one is; no when all are. */
export function either(a: Answer, b: Answer): Answer {
  return a === true || b === true ? true : a === false && b === false ? false : undefined
}

/** Over a list that is not empty. */
export function over<T>(items: readonly T[], quantifier: Quantifier, test: (item: T) => Answer): Answer {
  let answer: Answer = quantifier === 'every'
  for (const item of items) {
    answer = quantifier === 'every' ? both(answer, test(item)) : either(answer, test(item))
    if (answer === (quantifier === 'some')) return answer
  }
  return answer
}
