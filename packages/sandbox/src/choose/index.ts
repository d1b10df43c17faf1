export { DEFAULT_LIMITS } from '../runs/limits.ts'
export { type BackendTools, DEFAULT_ORDER, DEFAULT_REQUIRES, type MakeBackend } from './backends.ts'
export {
  type ByLanguage,
  openSandboxes,
  SANDBOX_LANGUAGES,
  type SandboxDescription,
  type Sandboxes,
  type SandboxesOptions,
} from './sandboxes.ts'
