import type { ConversionPlan, JsonSchema } from '@adjutant/core'
import type ts from 'typescript6'

/** What is known of one type: how JSON says it, and how JSON becomes it. */
export interface Described {
  readonly schema: JsonSchema
  /** Absent when JSON is what the function takes. */
  readonly plan?: ConversionPlan
}

/** Where in the sources a type is used, and how that place is called in messages, e.g. `order.items[]`. */
export interface Use {
  readonly node: ts.Node
  readonly path: string
}

/** What the parts that read types need of each other. */
export interface TypeReader {
  readonly checker: ts.TypeChecker
  /** Arguments are read strictly: nothing beside what the type names. Results are what they are. */
  readonly side: 'input' | 'output'
  read(type: ts.Type, use: Use): Described
  warn(node: ts.Node, message: string, hint: string): void
  /** Looked at when all types are read: only then is it known which plans change anything. `prune` leaves out what does not. */
  later(check: (prune: (plan: ConversionPlan | undefined) => ConversionPlan | undefined) => void): void
}
