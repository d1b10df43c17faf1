export { type QuickJsBackendOptions, quickJsBackend } from '../quickjs/quickjs-backend.ts'
export { type SqlJsBackendOptions, sqlJsBackend } from '../sqljs/sqljs-backend.ts'
export { type HostCall, type HostGrant, type HostGrants, type HostParameter, hostFunction } from './host-grants.ts'
