export { createHttpTool, type HttpToolOptions } from './create-http-tool.ts'
export { type AddressPolicy, isPublicAddress } from './public-address.ts'
export type { HttpMethod } from './read-input.ts'
export type { ResolveHost } from './send-request.ts'
