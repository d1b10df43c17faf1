import type { HintEntry } from '../hint.ts'
import { APT_HINTS } from './apt.ts'
import { C_CPP_HINTS } from './c-cpp.ts'
import { DOCKER_HINTS } from './docker.ts'
import { FILE_SYSTEM_HINTS } from './file-system.ts'
import { GIT_HINTS } from './git.ts'
import { GO_HINTS } from './go.ts'
import { HTTP_HINTS } from './http.ts'
import { JAVA_HINTS } from './java.ts'
import { MCP_HINTS } from './mcp.ts'
import { NETWORK_HINTS } from './network.ts'
import { NODE_HINTS } from './node.ts'
import { NPM_HINTS } from './npm.ts'
import { PYTHON_HINTS } from './python.ts'
import { RUST_HINTS } from './rust.ts'
import { SHELL_HINTS } from './shell.ts'
import { SQL_HINTS } from './sql.ts'
import { TEST_HINTS } from './tests.ts'

/**
 * The entries that come with Adjutant, by field. Data only: what is looked for and what is said. The ranks are in bands: 80 and above what nothing
 * else can be done before (memory, disk); 70 to 78 what a tool names exactly, missing modules and failing tests; 60 to 69 what the system or a
 * compiler says; 40 to 59 exceptions and statuses; below 40 what only says that something failed.
 */
export const BUILT_IN_FIELDS: Readonly<Record<string, readonly HintEntry[]>> = {
  shell: SHELL_HINTS,
  'file system': FILE_SYSTEM_HINTS,
  network: NETWORK_HINTS,
  http: HTTP_HINTS,
  node: NODE_HINTS,
  npm: NPM_HINTS,
  python: PYTHON_HINTS,
  java: JAVA_HINTS,
  go: GO_HINTS,
  rust: RUST_HINTS,
  'c and c++': C_CPP_HINTS,
  git: GIT_HINTS,
  apt: APT_HINTS,
  sql: SQL_HINTS,
  mcp: MCP_HINTS,
  docker: DOCKER_HINTS,
  tests: TEST_HINTS,
}
