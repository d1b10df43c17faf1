import type { ConversionPlan, RegistryProblem } from '@adjutant/core'
import ts from 'typescript6'
import { DefinitionTable, type Finished } from './definition-table.ts'
import type { Described, TypeReader, Use } from './described.ts'
import { knownType } from './known-types.ts'
import { problemAt, ReflectFault } from './place.ts'
import { readList } from './read-list.ts'
import { readObject } from './read-object.ts'
import { readUnion } from './read-union.ts'
import { patternOf } from './template-pattern.ts'
import { booleanOf, has, isBigIntLiteral, isObjectType, isStringMapping, isTemplate, isUnresolved } from './type-kinds.ts'

/**
 * Owns the way from one type to JSON Schema: what the compiler resolved (generics, mapped and conditional types, `Pick`,
 * `keyof`) is read as it resolved it. Object types are read once per function and become definitions where they are used twice
 * or hold themselves.
 */

/** Types that grow at each step (`Grow<T> = { next: Grow<T[]> }`) have no end. */
const MAX_DEPTH = 60
const { TypeFlags } = ts

const DIGITS = '^(0|-?[1-9][0-9]*)$'

export class Reader implements TypeReader {
  readonly checker: ts.TypeChecker
  readonly side: 'input' | 'output'
  readonly #warnings: RegistryProblem[]
  readonly #definitions = new DefinitionTable()
  readonly #checks: ((prune: (plan: ConversionPlan | undefined) => ConversionPlan | undefined) => void)[] = []
  #depth = 0

  constructor(checker: ts.TypeChecker, side: 'input' | 'output', warnings: RegistryProblem[]) {
    this.checker = checker
    this.side = side
    this.#warnings = warnings
  }

  warn(node: ts.Node, message: string, hint: string): void {
    this.#warnings.push(problemAt(node, message, hint))
  }

  later(check: (prune: (plan: ConversionPlan | undefined) => ConversionPlan | undefined) => void): void {
    this.#checks.push(check)
  }

  /** @throws ReflectFault naming the type and its place when JSON cannot say it */
  read(type: ts.Type, use: Use): Described {
    if (this.#depth > MAX_DEPTH) {
      throw new ReflectFault(
        use.node,
        `the type of ${use.path.split('.', 1)[0]} goes on for ever, or is nested deeper than ${MAX_DEPTH}`,
        'Give it an end.',
      )
    }
    this.#depth++
    try {
      return this.#read(type, use)
    } finally {
      this.#depth--
    }
  }

  /** Puts what was used twice, or holds itself, under `$defs`; everything else in its place. */
  finish(described: Described): Finished {
    const prune = this.#definitions.pruner()
    for (const check of this.#checks) check(prune)
    return this.#definitions.finish(described)
  }

  #read(type: ts.Type, use: Use): Described {
    const simple = this.#scalar(type, use)
    if (simple !== undefined) return simple
    if (type.isUnion()) return this.#definitions.named(type, nameOf(type), false, () => readUnion(this, type, use))
    const known = knownType(this, type, use)
    if (known !== undefined) return known
    if (type.isIntersection()) {
      const primitive = type.types.find((part) =>
        has(part, TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.BigIntLike | TypeFlags.BooleanLike),
      )
      // A brand: a text or number with a mark that exists for the compiler only.
      if (primitive !== undefined) return this.read(primitive, use)
      return this.#definitions.named(type, nameOf(type), true, () => readObject(this, type, use))
    }
    if (isObjectType(type)) {
      if (this.checker.isArrayType(type) || this.checker.isTupleType(type)) {
        // A list may hold itself by its alias: `type Nested = (number | Nested)[]`.
        return this.#definitions.named(type, type.aliasSymbol?.name, false, () => readList(this, type, use))
      }
      return this.#definitions.named(type, nameOf(type), true, () => readObject(this, type, use))
    }
    const constraint = this.checker.getBaseConstraintOfType(type)
    if (constraint !== undefined && constraint !== type) return this.read(constraint, use)
    if (has(type, TypeFlags.TypeParameter)) return this.#anything(use, this.checker.typeToString(type))
    return this.refuse(type, use, 'cannot be said in JSON')
  }

  #scalar(type: ts.Type, use: Use): Described | undefined {
    if (has(type, TypeFlags.Any)) {
      if (isUnresolved(type)) {
        const written = writtenType(use.node)
        throw new ReflectFault(
          use.node,
          `the type ${written === undefined ? '' : `${written} `}of ${use.path} could not be resolved`,
          'Correct the import or the name; a global type needs its package in "types" of the tsconfig.',
        )
      }
      return this.#anything(use, 'any')
    }
    if (has(type, TypeFlags.Unknown)) return this.#anything(use, 'unknown')
    if (has(type, TypeFlags.Never)) return { schema: false }
    if (has(type, TypeFlags.ESSymbolLike)) return this.refuse(type, use, 'is a symbol')
    if (has(type, TypeFlags.Null)) return { schema: { type: 'null' } }
    if (has(type, TypeFlags.Undefined | TypeFlags.Void)) return { schema: false }
    if (type.isStringLiteral() || type.isNumberLiteral())
      return { schema: { type: typeof type.value === 'string' ? 'string' : 'number', const: type.value } }
    const truth = booleanOf(type)
    if (truth !== undefined) return { schema: { type: 'boolean', const: truth } }
    if (has(type, TypeFlags.Boolean)) return { schema: { type: 'boolean' } }
    if (isBigIntLiteral(type)) {
      return { schema: { type: 'string', const: `${type.value.negative ? '-' : ''}${type.value.base10Value}` }, plan: { as: 'bigint' } }
    }
    if (has(type, TypeFlags.BigInt)) return { schema: { type: 'string', pattern: DIGITS, maxLength: 1000 }, plan: { as: 'bigint' } }
    if (isTemplate(type) || isStringMapping(type)) {
      const pattern = patternOf(type)
      return { schema: { type: 'string', ...(pattern === undefined ? {} : { pattern: `^${pattern}$` }) } }
    }
    if (has(type, TypeFlags.String)) return { schema: { type: 'string' } }
    // A computed enum has members that only running it tells.
    if (has(type, TypeFlags.Number) || (has(type, TypeFlags.EnumLike) && !type.isUnion())) return { schema: { type: 'number' } }
    return has(type, TypeFlags.NonPrimitive) ? { schema: { type: 'object' } } : undefined
  }

  #anything(use: Use, name: string): Described {
    if (this.side === 'input') {
      this.warn(use.node, `${use.path} is ${name}: a model may send anything there`, 'Give it a type.')
    }
    return { schema: true }
  }

  refuse(type: ts.Type, use: Use, why: string): never {
    throw new ReflectFault(
      use.node,
      `${use.path} is of type ${this.checker.typeToString(type)}, which ${why}`,
      'Use plain data there, or leave the function out with @internal.',
    )
  }
}

function nameOf(type: ts.Type): string | undefined {
  const name = type.aliasSymbol?.name ?? type.getSymbol()?.name
  // Names of the compiler's own: __type, __object, __computed.
  return name === undefined || name.startsWith('__') ? undefined : name
}

function writtenType(node: ts.Node): string | undefined {
  const type = ts.isParameter(node) || ts.isPropertySignature(node) || ts.isPropertyDeclaration(node) ? node.type : undefined
  return type?.getText().replace(/\s+/g, ' ').slice(0, 100)
}
