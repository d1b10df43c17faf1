/**
 * Owns which system calls code in a Landlock box may make: what all boxes may, less what namespaces would have kept apart there. Landlock knows files
 * and TCP; everything else that leads out of a box without namespaces is closed here. Pure.
 */
import { defaultSeccompPolicy, type SeccompPolicy, type SeccompRule } from '../linux/index.ts'

const INT = 0xffff_ffffn
const words = (text: string): readonly string[] => text.split(' ')

/** For every box: there is no network, no IPC and no other process but its own. */
const WALLS: readonly SeccompRule[] = [
  { calls: ['socket'], errno: 'EAFNOSUPPORT', reason: 'there is no network namespace: a socket of any kind is one of the host' },
  {
    calls: ['socketpair'],
    errno: 'EAFNOSUPPORT',
    when: [{ argument: 0, mask: INT, is: 'not-in', values: [1n] }],
    reason: 'pairs of unix sockets only',
  },
  {
    calls: ['socketpair'],
    errno: 'ESOCKTNOSUPPORT',
    when: [{ argument: 1, mask: 0xfn, is: 'not-in', values: [1n, 5n] }],
    reason: 'a pair for datagrams can be pointed at any socket file of the host',
  },
  {
    calls: ['ioctl'],
    errno: 'EPERM',
    when: [{ argument: 1, mask: 0xffff_ff00n, is: 'in', values: [0x8900n] }],
    reason: 'tells the network interfaces of the host by any socket',
  },
  {
    calls: words('shmget shmat shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl mq_open mq_unlink'),
    errno: 'EPERM',
    reason: 'there is no IPC namespace: others see it, and it outlives the box',
  },
  { calls: ['inotify_add_watch'], errno: 'EPERM', reason: 'Landlock does not bound it: it tells the names of files of the host' },
  {
    calls: ['setpriority'],
    errno: 'EPERM',
    when: [{ argument: 1, mask: INT, is: 'not-in', values: [0n] }],
    reason: 'reaches other processes of the same user',
  },
  {
    calls: ['ioprio_set'],
    errno: 'EPERM',
    when: [{ argument: 1, mask: INT, is: 'not-in', values: [0n] }],
    reason: 'reaches other processes of the same user',
  },
  {
    calls: ['setpriority', 'ioprio_set'],
    errno: 'EPERM',
    when: [{ argument: 0, mask: INT, is: 'not-in', values: [0n, 1n] }],
    reason: 'reaches all processes of the user',
  },
  {
    calls: words('prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr'),
    errno: 'EPERM',
    when: [{ argument: 0, mask: INT, is: 'not-in', values: [0n] }],
    reason: 'reaches other processes of the same user, also the keeper of the box',
  },
]

/**
 * Landlock does not bound what is not said of a file but of its owner: where files outside are the user's own these calls would reach them. Modes and times
 * are changed by the keeper: see keeper-changes.ts.
 */
const SHARED_USER: readonly SeccompRule[] = [
  {
    calls: words('chown lchown fchownat utime utimes futimesat'),
    errno: 'EPERM',
    reason: 'Landlock does not bound it, and files outside belong to the same user',
  },
  {
    calls: words('setxattr lsetxattr setxattrat removexattr lremovexattr removexattrat file_setattr'),
    errno: 'EPERM',
    reason: 'Landlock does not bound it, and files outside belong to the same user',
  },
]

export interface LandlockPolicyOptions {
  /** Code runs under a user to whom files outside of the box belong. */
  readonly sharedUser: boolean
  /** The kernel counts the memory of all processes together. */
  readonly memoryHeld: boolean
}

export function landlockSeccompPolicy({ sharedUser, memoryHeld }: LandlockPolicyOptions): SeccompPolicy {
  const usual = defaultSeccompPolicy(memoryHeld ? {} : { sharedMemory: false })
  // The first rule that matches decides: what is stricter comes first.
  return { rules: [...WALLS, ...(sharedUser ? SHARED_USER : []), ...usual.rules] }
}
