/** The Model Context Protocol and JSON-RPC. */
import type { HintEntry } from '../hint.ts'

export const MCP_HINTS: readonly HintEntry[] = [
  {
    code: 'MCP_PARSE_ERROR',
    grade: 'clarify',
    rank: 64,
    patterns: ['MCP error -32700', '"code":-32700', '"code": -32700', 'JSON-RPC error -32700'],
    hint: {
      en: 'The server could not read the message: a program prints to stdout what is no message, or the JSON is broken.',
      zh: '服务器无法解析消息：可能有程序向 stdout 输出了非消息内容，或 JSON 有误。',
    },
  },
  {
    code: 'MCP_INVALID_REQUEST',
    grade: 'clarify',
    rank: 64,
    patterns: [
      'MCP error -32600',
      '"code":-32600',
      '"code": -32600',
      'JSON-RPC error -32600',
      'Server not initialized',
      'Received request before initialization was complete',
    ],
    hint: {
      en: 'The server does not take this request now: initialise the session first and use the protocol version it answered with.',
      zh: '服务器此时不接受该请求：先初始化会话，并使用其返回的协议版本。',
    },
  },
  {
    code: 'MCP_METHOD_NOT_FOUND',
    grade: 'final',
    rank: 65,
    patterns: ['MCP error -32601', '"code":-32601', '"code": -32601', 'JSON-RPC error -32601', 'Method not found'],
    hint: {
      en: 'The server does not offer this: use one of the tools or methods that it lists.',
      zh: '服务器不提供该功能：使用它列出的工具或方法。',
    },
  },
  {
    code: 'MCP_INVALID_PARAMS',
    grade: 'clarify',
    rank: 65,
    patterns: [
      'MCP error -32602',
      '"code":-32602',
      '"code": -32602',
      'JSON-RPC error -32602',
      'Input validation error: ',
      'Invalid arguments for tool {1:word}',
    ],
    hint: {
      en: 'Correct the arguments of {1|the tool} by its schema and call again; check that the tool is still listed.',
      zh: '按 schema 修正 {1|该工具} 的参数后重新调用；并确认该工具仍在列表中。',
    },
  },
  {
    code: 'MCP_UNKNOWN_TOOL',
    grade: 'clarify',
    rank: 68,
    patterns: [
      'MCP error -32602: Tool {1:word} not found',
      'Unknown tool: {1:word}',
      'Tool {1:word} not found',
      'MCP error -32602: Unknown tool: {1:word}',
      'Tool {1:word} disabled',
    ],
    hint: {
      en: 'The server has no tool {1|of that name}: list its tools again and use one of them.',
      zh: '服务器没有名为 {1|（见上）} 的工具：重新列出工具并使用其一。',
    },
  },
  {
    code: 'MCP_INTERNAL',
    grade: 'retry',
    rank: 60,
    patterns: ['MCP error -32603', '"code":-32603', '"code": -32603', 'JSON-RPC error -32603'],
    hint: {
      en: 'The server failed inside: try once more with simpler arguments, then go on without it.',
      zh: '服务器内部错误：用更简单的参数再试一次，否则放弃使用。',
    },
  },
  {
    code: 'MCP_CONNECTION_CLOSED',
    grade: 'retry',
    rank: 62,
    patterns: [
      'MCP error -32000',
      '"code":-32000',
      '"code": -32000',
      'MCP error -32000: Connection closed',
      'JSON-RPC error -32000',
      'McpError: Connection closed',
    ],
    hint: {
      en: 'The server ended or refused: look at what it printed to stderr, then start it again.',
      zh: '服务器已退出或拒绝：查看它的 stderr 输出后重新启动。',
    },
  },
  {
    code: 'MCP_TIMEOUT',
    grade: 'retry',
    rank: 63,
    patterns: ['MCP error -32001', '"code":-32001', '"code": -32001', 'MCP error -32001: Request timed out', 'JSON-RPC error -32001'],
    hint: { en: 'The server did not answer in time: ask for less, or allow more time.', zh: '服务器未及时响应：减少请求量或延长超时。' },
  },
  {
    code: 'MCP_RESOURCE_NOT_FOUND',
    grade: 'clarify',
    rank: 64,
    patterns: ['MCP error -32002', '"code":-32002', '"code": -32002', 'JSON-RPC error -32002', 'Resource {1:word} not found'],
    hint: {
      en: 'The server has no {1|such resource}: list the resources and use one of them.',
      zh: '服务器没有 {1|该资源}：列出资源并使用其一。',
    },
  },
  {
    code: 'MCP_ELICITATION_REQUIRED',
    grade: 'final',
    rank: 64,
    patterns: ['MCP error -32042', '"code":-32042', '"code": -32042'],
    hint: {
      en: 'The server wants a person to do something at an address first: show it to them.',
      zh: '服务器要求用户先在某个地址完成操作：请将地址展示给用户。',
    },
  },
  {
    code: 'MCP_SESSION_LOST',
    grade: 'retry',
    rank: 64,
    patterns: [
      'Session not found',
      'No valid session ID provided',
      'Bad Request: Mcp-Session-Id header is required',
      'Bad Request: Server not initialized',
    ],
    hint: { en: 'The session is gone: connect anew and repeat the call.', zh: '会话已失效：重新连接后再次调用。' },
  },
]
