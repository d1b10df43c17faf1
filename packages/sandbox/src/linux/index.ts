export { seccompFilter } from './seccomp/filter.ts'
export {
  type ArgumentTest,
  type DefaultPolicyOptions,
  defaultSeccompPolicy,
  type SeccompErrno,
  type SeccompPolicy,
  type SeccompRule,
} from './seccomp/policy.ts'
export { probeSeccomp, type SeccompProbe, type SeccompProbeOptions } from './seccomp/probe.ts'
export { type SeccompArch, seccompArch, syscallNumbers } from './seccomp/syscall-table.ts'
