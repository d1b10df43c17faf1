/**
 * MCP servers as tools. Apart from the rest of the package, so that whoever uses no MCP server does not load the client.
 */
export { type HttpServerConfig, type McpServerConfig, readServerConfig, type StdioServerConfig } from './config.ts'
export { connectMcpServer, type McpConnection, type McpConnectOptions } from './connection.ts'
export type { ShowSignIn, SignInRequest } from './oauth/sign-in.ts'
export type { OAuthSettings, PinMode, ServerSettings } from './server-settings.ts'
export { mcpToolNames, mcpToolPrefix } from './tool-names.ts'
