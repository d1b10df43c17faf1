/** Data: programs of many commands, and which of them only read. What is not listed is judged as the program itself is (see programs.ts). */
import type { Effect } from '../verdict.ts'

export interface Commands {
  /** One or two words each. */
  readonly reads: string
  /** Commands worse than the program, each with why. */
  readonly worse?: Readonly<Record<string, readonly [Effect, string]>>
  /** Options before or between the words of the command that take a value in the next word. */
  readonly values?: string
  /** Options that do more than read after a command that reads. */
  readonly harm?: Readonly<Record<string, readonly [Effect, string]>>
}

const DELETES = ['dangerous', 'deletes what cannot be brought back'] as const
const RUNS = ['dangerous', 'runs another program'] as const
const STOPS = ['dangerous', 'stops what others may need'] as const

const CONTAINERS: Commands = {
  reads:
    'ps images logs inspect version info top stats diff port history search events image|ls image|inspect image|history container|ls container|list container|inspect container|logs container|top container|stats container|port container|diff ' +
    'volume|ls volume|inspect network|ls network|inspect system|df system|info system|events context|ls context|show compose|ps compose|logs compose|config compose|images compose|ls compose|version manifest|inspect node|ls service|ls service|ps stack|ls',
  values: '--context --log-level -l',
  harm: { '-o': ['write', 'writes a file'], '--output': ['write', 'writes a file'] },
  worse: {
    rm: DELETES,
    rmi: DELETES,
    kill: STOPS,
    stop: STOPS,
    'system prune': DELETES,
    'volume rm': DELETES,
    'volume prune': DELETES,
    'image prune': DELETES,
    'image rm': DELETES,
    'container prune': DELETES,
    'container rm': DELETES,
    'network rm': DELETES,
    'compose down': STOPS,
    'container kill': STOPS,
    'container stop': STOPS,
  },
}
const NODE_PACKAGES: Commands = {
  reads:
    'ls list ll la view info show outdated why explain root prefix bin search whoami ping config|get config|list config|ls fund licenses|list help version|--json pkg|get owner|ls dist-tag|ls',
  values: '--prefix -C --dir --cwd --filter',
  worse: { publish: ['dangerous', 'publishes to everybody'], unpublish: DELETES },
}
const APT: Commands = {
  reads: 'list show search policy depends rdepends showpkg stats dump madison changelog',
  harm: { '-o': RUNS, '--option': RUNS, '-c': RUNS, '--config-file': RUNS },
  worse: { remove: DELETES, purge: DELETES, autoremove: DELETES },
}
const RPMS: Commands = {
  reads: 'list info search repolist provides whatprovides repoquery check-update grouplist deplist history',
  harm: { '-c': RUNS, '--config': RUNS },
  worse: { remove: DELETES, erase: DELETES, autoremove: DELETES },
}
const SERVICES: Commands = {
  reads:
    'status show cat is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets list-dependencies list-jobs list-machines get-default show-environment is-system-running help',
  values: '-t --type --state -p --property -n --lines -o --output',
  worse: {
    stop: STOPS,
    disable: STOPS,
    mask: STOPS,
    kill: STOPS,
    isolate: STOPS,
    reboot: STOPS,
    poweroff: STOPS,
    halt: STOPS,
    suspend: STOPS,
    hibernate: STOPS,
    rescue: STOPS,
    emergency: STOPS,
  },
}

export const COMMANDS: ReadonlyMap<string, Commands> = new Map(
  Object.entries<Commands>({
    docker: CONTAINERS,
    podman: CONTAINERS,
    nerdctl: CONTAINERS,
    'docker-compose': {
      reads: 'ps logs config images version top port',
      values: '-f --file -p --project-name',
      worse: { down: STOPS, rm: DELETES, kill: STOPS },
    },
    kubectl: {
      reads:
        'get describe logs top version explain api-resources api-versions cluster-info config|view config|get-contexts config|current-context config|get-clusters auth|can-i auth|whoami rollout|status rollout|history events',
      values: '-n --namespace --context --cluster --user',
      harm: { '--kubeconfig': RUNS, '--output-directory': ['write', 'writes files'] },
      worse: { delete: DELETES, drain: STOPS },
    },
    helm: {
      reads: 'list ls status history get show search version env template|--help repo|list',
      values: '-n --namespace --kube-context',
      harm: { '--post-renderer': RUNS },
      worse: { uninstall: DELETES, delete: DELETES },
    },
    npm: NODE_PACKAGES,
    pnpm: NODE_PACKAGES,
    yarn: NODE_PACKAGES,
    pip: { reads: 'list show freeze check search index|versions config|list config|get debug help inspect', worse: { uninstall: DELETES } },
    pip3: {
      reads: 'list show freeze check search index|versions config|list config|get debug help inspect',
      worse: { uninstall: DELETES },
    },
    gem: { reads: 'list search query info environment env which contents dependency outdated', worse: { uninstall: DELETES } },
    brew: {
      reads: 'list ls info search outdated deps uses leaves config doctor desc home|--help --prefix --cellar --version',
      worse: { uninstall: DELETES, remove: DELETES },
    },
    apt: APT,
    'apt-get': APT,
    'apt-cache': APT,
    aptitude: APT,
    yum: RPMS,
    dnf: RPMS,
    go: {
      reads: 'version env list doc vet|--help',
      harm: {
        '-w': ['write', 'changes settings'],
        '-u': ['write', 'changes settings'],
        '-toolexec': RUNS,
        '-exec': RUNS,
        '-mod': ['write', 'changes the module'],
        '-overlay': RUNS,
        '-vettool': RUNS,
        '-export': RUNS,
        '-compiled': RUNS,
      },
    },
    cargo: { reads: 'search version' },
    rustup: { reads: 'show check' },
    systemctl: SERVICES,
    loginctl: { reads: 'list-sessions list-users list-seats show-session show-user session-status user-status' },
    hostnamectl: { reads: 'status' },
    timedatectl: { reads: 'status show list-timezones' },
    aws: { reads: '' },
    terraform: {
      reads: 'version show providers graph|--help',
      worse: { destroy: DELETES, apply: ['dangerous', 'changes what runs in a cloud'] },
    },
    hg: {
      reads: 'status log diff cat branches tags heads parents summary annotate files identify root paths',
      harm: { '--config': RUNS, '-o': ['write', 'writes a file'], '--output': ['write', 'writes a file'], '--pager': RUNS },
    },
    svn: {
      reads: 'status log diff info list ls cat blame propget proplist',
      harm: { '--diff-cmd': RUNS, '--config-option': RUNS, '--config-dir': RUNS, '--editor-cmd': RUNS },
    },
    tmux: {
      reads: 'ls list-sessions list-windows list-panes list-clients list-keys display-message|-p',
      worse: { 'kill-server': STOPS, 'kill-session': STOPS },
    },
    screen: { reads: '-ls -list --version' },
    crontab: { reads: '-l' },
    pm2: { reads: 'list ls status logs show describe', worse: { delete: DELETES, kill: STOPS, stop: STOPS } },
    supervisorctl: { reads: 'status tail', worse: { stop: STOPS, shutdown: STOPS } },
  }),
)
