import type { JsonObject, JsonSchema, JsonValue } from '../../contract/index.ts'

/**
 * The type of the values that a literal JSON Schema accepts, as far as types can say it. What they cannot say (patterns,
 * ranges, `not`, `if`) is checked at run time only. A schema whose members are not known to the compiler gives
 * {@link JsonObject}.
 *
 * @example
 * ```ts
 * type City = InferJsonSchema<{ type: 'object'; properties: { name: { type: 'string' } }; required: ['name'] }>
 * // { readonly name: string }
 * ```
 */
export type InferJsonSchema<Schema> = [Schema] extends [JsonSchema]
  ? Schema extends boolean
    ? JsonObject
    : string extends keyof Schema
      ? JsonObject
      : Of<Schema, Schema>
  : never

/** `Root` is where references start. */
type Of<Schema, Root> = Schema extends true
  ? JsonValue
  : Schema extends false
    ? never
    : Schema extends { readonly $ref: infer Ref extends string }
      ? Referred<Root, Ref, Root>
      : Schema extends { readonly const: infer Const }
        ? Const
        : Schema extends { readonly enum: readonly (infer Choice)[] }
          ? Choice
          : Combined<Schema, Root>

type Combined<Schema, Root> = Schema extends { readonly anyOf: readonly (infer Branch)[] }
  ? Both<Plain<Schema, Root>, Either<Branch, Root>>
  : Schema extends { readonly oneOf: readonly (infer Branch)[] }
    ? Both<Plain<Schema, Root>, Either<Branch, Root>>
    : Schema extends { readonly allOf: readonly [...infer Branches] }
      ? Both<Plain<Schema, Root>, All<Branches, Root>>
      : unknown extends Plain<Schema, Root>
        ? JsonValue
        : Plain<Schema, Root>

/** Intersects, but does not clutter a type with what says nothing. */
type Both<One, Other> = unknown extends One ? (unknown extends Other ? JsonValue : Other) : unknown extends Other ? One : One & Other

/** Distributes over the branches; one that only speaks of `required` narrows nothing. */
type Either<Branch, Root> = Branch extends unknown ? (Says<Branch> extends true ? Of<Branch, Root> : unknown) : never

type All<Branches, Root> = Branches extends readonly [infer First, ...infer Rest]
  ? Says<First> extends true
    ? Both<Of<First, Root>, All<Rest, Root>>
    : All<Rest, Root>
  : unknown

type Says<Schema> = Schema extends boolean
  ? Schema
  : Extract<keyof Schema, 'type' | 'properties' | '$ref' | 'const' | 'enum' | 'anyOf' | 'oneOf' | 'allOf' | 'items'> extends never
    ? false
    : true

/** What the schema says by its own type; `unknown` when it says nothing. */
type Plain<Schema, Root> = Schema extends { readonly type: readonly (infer Type)[] }
  ? Typed<Type, Schema, Root>
  : Schema extends { readonly type: infer Type }
    ? Typed<Type, Schema, Root>
    : Schema extends { readonly properties: unknown }
      ? ObjectOf<Schema, Root>
      : unknown

type Typed<Type, Schema, Root> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? ArrayOf<Schema, Root>
          : Type extends 'object'
            ? ObjectOf<Schema, Root>
            : JsonValue

type ArrayOf<Schema, Root> = Schema extends { readonly prefixItems: infer First extends readonly unknown[] }
  ? Schema extends { readonly items: false }
    ? Tuple<First, Root>
    : readonly [...Tuple<First, Root>, ...(Schema extends { readonly items: infer Item } ? Of<Item, Root> : JsonValue)[]]
  : Schema extends { readonly items: infer Item }
    ? readonly Of<Item, Root>[]
    : readonly JsonValue[]

type Tuple<Items extends readonly unknown[], Root> = { readonly [Index in keyof Items]: Of<Items[Index], Root> }

type ObjectOf<Schema, Root> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Key in Extract<keyof Properties, RequiredKeys<Schema>>]: Of<Properties[Key], Root> } & {
        readonly [Key in Exclude<keyof Properties, RequiredKeys<Schema>>]?: Of<Properties[Key], Root>
      }
    >
  : Schema extends { readonly additionalProperties: infer Rest }
    ? { readonly [key: string]: Of<Rest, Root> }
    : JsonObject

type RequiredKeys<Schema> = Schema extends { readonly required: readonly (infer Key)[] } ? Key : never

/** One object type instead of an intersection, so that editors show it plainly. */
type Flat<Type> = { readonly [Key in keyof Type]: Type[Key] }

type Referred<Place, Ref extends string, Root> = Ref extends '#'
  ? Of<Root, Root>
  : Ref extends `#/${infer Path}`
    ? Walk<Place, Path, Root>
    : JsonValue

type Walk<Place, Path extends string, Root> = Path extends `${infer Key}/${infer Rest}`
  ? Key extends keyof Place
    ? Walk<Place[Key], Rest, Root>
    : JsonValue
  : Path extends keyof Place
    ? Of<Place[Path], Root>
    : JsonValue
