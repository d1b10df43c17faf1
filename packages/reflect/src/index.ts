// The public face of @adjutant/reflect. Nothing here loads the compiler before it is needed.
export { type BuiltTools, buildTools } from './build-tools.ts'
export type { DocumentOptions, ReflectOptions } from './reflect-document.ts'
export { type ReflectReport, reflectTools } from './reflect-tools.ts'
