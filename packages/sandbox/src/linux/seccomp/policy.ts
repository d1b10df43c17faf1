/**
 * Owns the words in which it is said what becomes of a system call, and the policy that boxes run under unless told otherwise.
 * The policy is data: the filter is compiled of it, and documentation and tests read the same list.
 */

/** Errors that a filter answers with; numbers of asm-generic/errno.h, equal on all architectures here. */
export const ERRNO = { EPERM: 1, ENOSYS: 38, EPROTONOSUPPORT: 93, ESOCKTNOSUPPORT: 94, EAFNOSUPPORT: 97 } as const

/** The error a call fails with. There is no verdict "allow": what no rule matches is allowed. */
export type SeccompErrno = keyof typeof ERRNO

/**
 * A condition on one argument: `(argument & mask)` is among `values`, or is not. The kernel takes most arguments as 32-bit integers and
 * drops the rest of the register: then the mask must not reach beyond 32 bits, or garbage up there hides what matters.
 */
export interface ArgumentTest {
  /** 0 to 5. */
  readonly argument: number
  /** Up to 64 bits. */
  readonly mask: bigint
  readonly is: 'in' | 'not-in'
  readonly values: readonly bigint[]
}

export interface SeccompRule {
  /** Names of the kernel. A name that only the other architecture has is passed over. */
  readonly calls: readonly string[]
  readonly errno: SeccompErrno
  /** All must hold. Default: always. */
  readonly when?: readonly ArgumentTest[]
  /** Why, for people. */
  readonly reason: string
}

/** Rules in order: the first that matches decides. Calls that no kernel of our tables knows are always ENOSYS. */
export interface SeccompPolicy {
  readonly rules: readonly SeccompRule[]
}

export interface DefaultPolicyOptions {
  /**
   * Memory that counts for no process: memfd, and segments, queues and semaphores of System V. Give `false` where no cgroup counts it.
   * Default true.
   */
  readonly sharedMemory?: boolean
}

const INT = 0xffff_ffffn

// linux/sched.h
const NEW_NAMESPACES = 0x7e02_0000n // NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
const UNSHARE_HARMLESS = 0x0005_0f00n // VM, FS, FILES, SIGHAND, THREAD, SYSVSEM
// linux/socket.h, linux/net.h, linux/in.h
const [UNIX, INET, INET6, NETLINK] = [1n, 2n, 10n, 16n]
const [STREAM, DATAGRAM, RAW] = [1n, 2n, 3n]
const SOCKET_TYPE = 0xfn
const PROTOCOLS = [0n, 1n, 6n, 17n, 58n] // default, ICMP, TCP, UDP, ICMPv6
const NETLINK_ROUTE = 0n
// asm-generic/ioctls.h
const [TIOCSTI, TIOCLINUX, TIOCSETD] = [0x5412n, 0x541cn, 0x5423n]
// linux/personality.h: PER_LINUX, UNAME26, PER_LINUX32, both, and the question
const PERSONALITIES = [0n, 0x20000n, 0x8n, 0x20008n, INT]
// linux/stat.h, asm-generic/fcntl.h
const SET_USER_ID = 0o4000n
const MAKES_FILE = 0x40n | 0x40_0000n // O_CREAT, __O_TMPFILE

const oneOf = (argument: number, values: readonly bigint[], mask = INT): ArgumentTest => ({ argument, mask, is: 'in', values })
const noneOf = (argument: number, values: readonly bigint[], mask = INT): ArgumentTest => ({ argument, mask, is: 'not-in', values })
/** One of these bits is set. */
const anyBit = (argument: number, bits: bigint): ArgumentTest => noneOf(argument, [0n], bits)

const words = (text: string): readonly string[] => text.split(' ')

const SOCKET_CALLS = ['socket', 'socketpair']
const PLANT = 'a set-user-id file in the workspace would lend its owner to whoever runs it on the host'

const RULES: readonly SeccompRule[] = [
  // Programs ask whether these exist and go another way when not: so they do not exist.
  { calls: ['clone3'], errno: 'ENOSYS', reason: 'its flags lie in memory, where a filter cannot see them; libraries fall back to clone' },
  { calls: words('io_uring_setup io_uring_enter io_uring_register'), errno: 'ENOSYS', reason: 'does input and output past the filter' },
  { calls: ['openat2'], errno: 'ENOSYS', reason: 'its mode lies in memory; programs fall back to openat' },
  { calls: words('io_setup io_pgetevents'), errno: 'ENOSYS', reason: 'takes from a number of contexts that the whole machine shares' },
  {
    calls: words('uselib ustat sysfs _sysctl nfsservctl create_module query_module get_kernel_syms lookup_dcookie remap_file_pages'),
    errno: 'ENOSYS',
    reason: 'long gone, and code that nobody looks after where it is not',
  },
  // Keys, other processes, the kernel's own insides.
  { calls: words('keyctl add_key request_key'), errno: 'EPERM', reason: 'keyrings are not of the box alone' },
  {
    calls: words('ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd move_pages migrate_pages'),
    errno: 'EPERM',
    reason: 'reaches into other processes',
  },
  { calls: words('userfaultfd bpf perf_event_open fanotify_init'), errno: 'EPERM', reason: 'a wide way into the kernel' },
  // Mounts and namespaces.
  {
    calls: words(
      'mount umount2 open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr statmount listmount pivot_root chroot',
    ),
    errno: 'EPERM',
    reason: 'the view of the files is fixed',
  },
  { calls: words('setns listns'), errno: 'EPERM', reason: 'the box stays in its namespaces' },
  {
    calls: ['unshare'],
    errno: 'EPERM',
    when: [noneOf(0, [0n], ~UNSHARE_HARMLESS & 0xffff_ffff_ffff_ffffn)],
    reason: 'no namespace within',
  },
  { calls: ['clone'], errno: 'EPERM', when: [anyBit(0, NEW_NAMESPACES)], reason: 'no namespace within' },
  { calls: words('name_to_handle_at open_by_handle_at'), errno: 'EPERM', reason: 'opens files past the view of the files' },
  // The machine.
  {
    calls: words(
      'kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff acct quotactl quotactl_fd syslog',
    ),
    errno: 'EPERM',
    reason: 'belongs to who runs the machine',
  },
  { calls: words('iopl ioperm modify_ldt'), errno: 'EPERM', reason: 'reaches the processor past the kernel' },
  {
    calls: words('settimeofday clock_settime sethostname setdomainname vhangup'),
    errno: 'EPERM',
    reason: 'belongs to who runs the machine',
  },
  { calls: ['sync'], errno: 'EPERM', reason: 'writes out the disks of the whole machine; fsync and syncfs remain' },
  { calls: ['personality'], errno: 'EPERM', when: [noneOf(0, PERSONALITIES)], reason: 'turns protections off' },
  {
    calls: ['ioctl'],
    errno: 'EPERM',
    when: [oneOf(1, [TIOCSTI, TIOCLINUX, TIOCSETD])],
    reason: 'types into a terminal, or swaps its driver',
  },
  // Sockets: what programs of a box need, and no more of the kernel's code.
  {
    calls: SOCKET_CALLS,
    errno: 'EAFNOSUPPORT',
    when: [noneOf(0, [UNIX, INET, INET6, NETLINK])],
    reason: 'other families lead past the network namespace (AF_VSOCK) or into rarely used code',
  },
  { calls: SOCKET_CALLS, errno: 'EPROTONOSUPPORT', when: [oneOf(0, [NETLINK]), noneOf(2, [NETLINK_ROUTE])], reason: 'routes only' },
  {
    calls: SOCKET_CALLS,
    errno: 'ESOCKTNOSUPPORT',
    when: [oneOf(0, [INET, INET6]), noneOf(1, [STREAM, DATAGRAM, RAW], SOCKET_TYPE)],
    reason: 'would load SCTP or DCCP',
  },
  {
    calls: SOCKET_CALLS,
    errno: 'EPROTONOSUPPORT',
    when: [oneOf(0, [INET, INET6]), noneOf(2, PROTOCOLS)],
    reason: 'would load rarely used protocols',
  },
  // Files that are dangerous on the host.
  { calls: words('chmod fchmod creat'), errno: 'EPERM', when: [anyBit(1, SET_USER_ID)], reason: PLANT },
  { calls: words('fchmodat fchmodat2 mknodat'), errno: 'EPERM', when: [anyBit(2, SET_USER_ID)], reason: PLANT },
  { calls: ['mknod'], errno: 'EPERM', when: [anyBit(1, SET_USER_ID)], reason: PLANT },
  { calls: ['open'], errno: 'EPERM', when: [anyBit(1, MAKES_FILE), anyBit(2, SET_USER_ID)], reason: PLANT },
  { calls: ['openat'], errno: 'EPERM', when: [anyBit(2, MAKES_FILE), anyBit(3, SET_USER_ID)], reason: PLANT },
]

const NO_SHARED_MEMORY: SeccompRule = {
  calls: words('memfd_create memfd_secret shmget msgget semget'),
  errno: 'EPERM',
  reason: 'memory that counts for no process, where no cgroup counts it',
}

/**
 * What boxes run under: everything that bash, Python, Node and compilers use stays; what reaches past the box or deep into the kernel fails
 * with an error that programs know how to handle.
 *
 * @example
 * ```ts
 * seccompFilter('x64', defaultSeccompPolicy({ sharedMemory: false }))
 * ```
 */
export function defaultSeccompPolicy(options: DefaultPolicyOptions = {}): SeccompPolicy {
  return { rules: options.sharedMemory === false ? [...RULES, NO_SHARED_MEMORY] : RULES }
}
