export * from './linux/index.ts'
export { openWorkspace, removeWorkspace, type Workspace, type WorkspaceOptions, type WorkspaceUsage } from './workspace/workspace.ts'
