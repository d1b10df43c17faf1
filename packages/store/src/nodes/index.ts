export { type JoinOptions, type NodeInfo, Nodes } from './nodes.ts'
export type { DrainReport, NodeMember, WorkNode } from './work-node.ts'
