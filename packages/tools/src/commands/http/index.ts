export { type HostKind, hostKindOf } from './host-kind.ts'
export { type HttpCall, type HttpReading, type HttpReadOptions, readHttpCall } from './read-http-call.ts'
