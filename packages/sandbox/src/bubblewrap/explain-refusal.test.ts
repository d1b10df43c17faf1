import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainRefusal } from './explain-refusal.ts'

const none = (): undefined => undefined
const only =
  (path: string, value: string) =>
  (asked: string): string | undefined =>
    asked === path ? `${value}\n` : undefined

describe('explainRefusal', () => {
  const cases: readonly (readonly [string, string, (path: string) => string | undefined, RegExp])[] = [
    ['an old bubblewrap', 'bwrap: Unknown option --disable-userns', none, /0\.8 or newer/],
    [
      'AppArmor',
      'bwrap: setting up uid map: Permission denied',
      only('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'),
      /AppArmor/,
    ],
    [
      'a kernel that was told so',
      'bwrap: No permissions to create new namespace',
      only('/proc/sys/kernel/unprivileged_userns_clone', '0'),
      /unprivileged_userns_clone=1/,
    ],
    [
      'no namespaces at all',
      'bwrap: Creating new namespace failed: No space left on device',
      only('/proc/sys/user/max_user_namespaces', '0'),
      /max_user_namespaces/,
    ],
    ['a container', 'bwrap: Creating new namespace failed: Operation not permitted', none, /seccomp profile of Docker/],
    ['a container that hides /proc', "bwrap: Can't mount proc on /newroot/proc: Operation not permitted", none, /systempaths=unconfined/],
    ['a folder out of reach', "bwrap: Can't find source path /root/x: Permission denied", none, /right to pass/],
    ['anything else', 'something new', none, /See what bubblewrap says/],
  ]
  for (const [what, said, read, expected] of cases)
    it(`says what to do about ${what}`, () => assert.match(explainRefusal(said, read), expected))
})
