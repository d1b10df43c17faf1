import { isJsonObject, type JsonSchema, type ReflectedTool, type RegistryProblem } from '@adjutant/core'
import ts from 'typescript6'
import { docOfFunction } from './doc-comment.ts'
import type { ExportedFunction } from './exported-functions.ts'
import { readMarkers } from './markers.ts'
import { problemAt, ReflectFault } from './place.ts'
import { readParameters } from './read-parameters.ts'
import { Reader } from './read-type.ts'
import { has } from './type-kinds.ts'

/** What a function is as a tool, but for the module it is in. */
export type FunctionTool = Omit<ReflectedTool, 'module'> & { readonly declared: ts.Node }

/**
 * Owns one function: its doc comment and its signature as one tool.
 *
 * Nothing for a function that is not meant as a tool: no doc comment, or `@internal`.
 * @throws ReflectFault at what cannot be described
 */
export function describeFunction(found: ExportedFunction, checker: ts.TypeChecker, warnings: RegistryProblem[]): FunctionTool | undefined {
  const doc = docOfFunction(found.host)
  const markers = readMarkers(doc)
  if (markers.hidden) return undefined
  if (doc.description.trim() === '') {
    warnings.push(
      problemAt(
        found.node,
        `${found.name} is left out: it has no description`,
        'Say in a doc comment what it is for and what not, or mark it @internal.',
        found.name,
      ),
    )
    return undefined
  }
  const own: RegistryProblem[] = []
  const input = new Reader(checker, 'input', own)
  if (found.overloads > 0) {
    input.warn(found.node, `${found.name} has ${found.overloads + 1} signatures: the first is taken`, 'Write one signature with a union.')
  }
  const { schema, plan, plans, call } = readParameters(input, found, doc)
  const output = readResult(found, checker, markers.returns, own)
  warnings.push(...own.map((warning) => ({ ...warning, tool: found.name })))
  const objects = markers.examples.filter((example) => typeof example !== 'string')
  return {
    name: markers.name ?? found.name,
    description: descriptionOf(
      doc.description,
      markers.returns,
      markers.examples.filter((example) => typeof example === 'string'),
    ),
    export: found.exportName,
    inputSchema: objects.length > 0 && isJsonObject(schema) ? { ...schema, examples: objects } : schema,
    ...(output === undefined ? {} : { outputSchema: output }),
    call,
    ...(plan === undefined ? {} : { convert: plan }),
    ...(Object.keys(plans).length === 0 ? {} : { definitions: plans }),
    effect: markers.effect,
    ...(markers.tier === undefined ? {} : { tier: markers.tier }),
    ...(markers.lifetime === undefined ? {} : { lifetime: markers.lifetime }),
    ...(markers.repeatable === undefined ? {} : { repeatable: markers.repeatable }),
    ...(markers.background === undefined ? {} : { background: markers.background }),
    ...(markers.limits === undefined ? {} : { limits: markers.limits }),
    ...(markers.tags.length === 0 ? {} : { tags: markers.tags }),
    ...(markers.examples.length === 0 ? {} : { examples: markers.examples }),
    declared: found.node,
  }
}

function descriptionOf(text: string, returns: string | undefined, examples: readonly string[]): string {
  const parts = [text.trim()]
  if (returns !== undefined) parts.push(`Returns: ${returns}`)
  for (const example of examples) parts.push(`Example: ${example}`)
  return parts.join('\n')
}

/** A result that JSON cannot say costs the schema of it, not the tool: what comes back is looked at when it is there. */
function readResult(
  found: ExportedFunction,
  checker: ts.TypeChecker,
  returns: string | undefined,
  warnings: RegistryProblem[],
): JsonSchema | undefined {
  const type = resultType(found.signature.getReturnType(), checker)
  if (
    type === undefined ||
    has(type, ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never)
  )
    return undefined
  if (type.getSymbol()?.name === 'ToolOutput') return undefined
  const reader = new Reader(checker, 'output', warnings)
  try {
    const { schema } = reader.finish(reader.read(type, { node: found.node.type ?? found.node, path: 'the result' }))
    if (schema === false || schema === true) return undefined
    return returns === undefined || !isJsonObject(schema) ? schema : { ...schema, description: returns }
  } catch (error) {
    if (!(error instanceof ReflectFault)) throw error
    warnings.push(problemAt(error.node, `${error.message}; the tool is kept, without a schema of its result`, error.hint))
    return undefined
  }
}

/** What is waited for; of a generator of progress, what it returns. */
function resultType(type: ts.Type, checker: ts.TypeChecker): ts.Type | undefined {
  const name = type.getSymbol()?.name
  if ((name === 'AsyncGenerator' || name === 'AsyncIterator') && isGeneric(type)) return checker.getTypeArguments(type)[1]
  return checker.getAwaitedType(type)
}

function isGeneric(type: ts.Type): type is ts.TypeReference {
  return 'target' in type
}
