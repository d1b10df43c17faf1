/** Attempts to see the environment of the host. */
import type { SandboxAttempt } from '../attempt.ts'
import { bash, finds, python, tokens } from './programs.ts'

const guarantee = 'environment'

export const ENVIRONMENT_ATTEMPTS: readonly SandboxAttempt[] = [
  {
    id: 'environment-own',
    title: 'print the environment',
    guarantee,
    lang: 'bash',
    code: (at) => bash(at, 'env; export -p; set; cat /proc/self/environ; true'),
    escaped: finds(tokens.environment),
    control: 'user',
  },
  {
    id: 'environment-first-process',
    title: 'read the environment with which the first process of the box was started',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'show("/proc/1/environ")\nshow("/proc/1/task/1/environ")'),
    escaped: finds(tokens.environment, tokens.processEnvironment),
    control: 'weak-box',
  },
  {
    id: 'environment-everybody',
    title: 'read the environment of every process',
    guarantee,
    lang: 'python',
    code: (at) => python(at, 'for pid in pids() + [os.getppid()]:\n    show("/proc/%d/environ" % pid)'),
    escaped: finds(tokens.environment, tokens.processEnvironment),
    control: 'user',
  },
  {
    id: 'environment-in-memory',
    title: 'read the environment out of the memory of other processes',
    guarantee,
    lang: 'python',
    code: (at) =>
      python(
        at,
        `for pid in pids():
    if pid == os.getpid():
        continue
    try:
        stack = [line for line in open("/proc/%d/maps" % pid) if "[stack]" in line][0].split()[0].split("-")
        with open("/proc/%d/mem" % pid, "rb", 0) as memory:
            memory.seek(int(stack[0], 16))
            print(memory.read(int(stack[1], 16) - int(stack[0], 16)).decode("latin-1"))
    except (OSError, IndexError):
        pass`,
      ),
    escaped: finds(tokens.processEnvironment, tokens.environment),
    control: 'user',
    mayBeRefused: true,
  },
]
