/** Owns turning what bubblewrap and the kernel say when they refuse a box into what a person can do about it. Pure but for the switches it is given. */

/** Text of a file such as `/proc/sys/kernel/unprivileged_userns_clone`; undefined when there is none. */
export type ReadSwitch = (path: string) => string | undefined

export function explainRefusal(said: string, read: ReadSwitch): string {
  const is = (path: string, value: string): boolean => read(path)?.trim() === value
  if (/unknown option.*disable-userns/i.test(said)) return 'Install bubblewrap 0.8 or newer.'
  if (/can't find source path|no such file or directory/i.test(said) && /source path/i.test(said))
    return 'A folder that the box needs is not there, or the user of the box may not reach it: each folder above it needs the right to pass (chmod o+x).'
  if (is('/proc/sys/user/max_user_namespaces', '0')) return 'Allow user namespaces: sysctl user.max_user_namespaces=10000.'
  if (is('/proc/sys/kernel/unprivileged_userns_clone', '0')) return 'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1.'
  if (is('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'))
    return 'AppArmor keeps bubblewrap from making user namespaces (Ubuntu 23.10 and newer): install a profile for /usr/bin/bwrap that says `userns,`, or set sysctl kernel.apparmor_restrict_unprivileged_userns=0.'
  if (/can't mount proc/i.test(said))
    return 'This container hides parts of /proc, and then no new /proc may be mounted: start it with --security-opt systempaths=unconfined (Docker), or run boxes as containers.'
  if (/namespace|uid map|operation not permitted|permission denied/i.test(said))
    return 'Namespaces are refused here, as by the default seccomp profile of Docker: start the container with a profile that allows clone, unshare, mount and pivot_root, or run boxes as containers.'
  if (/seccomp/i.test(said)) return 'The kernel takes no system call filters: it needs CONFIG_SECCOMP_FILTER.'
  return 'See what bubblewrap says above; `bwrap --ro-bind / / true` in a terminal tries the same in small.'
}
