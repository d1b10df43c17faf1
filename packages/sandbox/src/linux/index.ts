export type { CgroupBox, CgroupDriver, CgroupFamily, CgroupLimits, CgroupUsage } from './cgroup/cgroup.ts'
export { type CgroupProbe, type FindCgroupsOptions, findCgroups, probeCgroups } from './cgroup/find-cgroups.ts'
export { type BoxStarted, type BoxStatus, readBoxStatus } from './process/box-status.ts'
export { type EndBoxOptions, type EndBoxOutcome, endBox, pidNamespaceMembers, pidNamespaceOf, waitUntil } from './process/pid-namespace.ts'
export { type ProcessProbe, probeProcesses } from './process/probe.ts'
export { identifyProcess, isRunning, type ProcessIdentity, type SignalOutcome, signalProcess } from './process/process-identity.ts'
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
export {
  dropFor,
  isRoot,
  probeUids,
  type SessionUidOptions,
  SessionUids,
  type SpawnUser,
  type UidLease,
  type UidProbe,
  type UidRange,
} from './uids.ts'
export { probeWatch } from './watchdog/probe.ts'
export { type Watch, type WatchLimitName, type WatchLimits, type WatchOptions, type WatchUsage, watch } from './watchdog/watch.ts'
