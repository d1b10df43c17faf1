export * from './linux/index.ts'
export * from './network/index.ts'
export * from './wasm/index.ts'
export { openWorkspace, removeWorkspace, type Workspace, type WorkspaceOptions, type WorkspaceUsage } from './workspace/workspace.ts'
