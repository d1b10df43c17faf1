/** Data: where a write reaches further than a project. */

/** Devices that a write to changes nothing. */
const NOTHING = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|full|zero|pts\/\d+)$/

const SYSTEM: readonly (readonly [RegExp, string])[] = [
  [/^\/dev\/(?:tcp|udp)\//, 'opens a connection to another machine'],
  [/^\/dev(?:\/|$)/, 'writes to a device'],
  [
    /^\/(?:etc|boot|bin|sbin|lib(?:32|64|x32)?|usr|sys|proc|root|opt|Library|System|Applications|private\/etc|var\/(?:log|lib|spool|www|run|backups|mail))(?:\/|$)/,
    'writes to a folder of the system',
  ],
  [/^(?:\.\.\/)+(?:etc|boot|bin|sbin|lib|usr|sys|proc|dev|root)(?:\/|$)/, 'writes to a folder of the system'],
  [/^\/$/, 'writes to the root of the file system'],
  [/^[A-Za-z]:\\/, 'writes to a path of Windows'],
  [/(?:^|\/)\.(?:ssh|gnupg|aws|kube|docker|config\/(?:autostart|systemd|fish|git))(?:\/|$)/, 'writes where keys and settings are kept'],
  [
    /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|vimrc|exrc|netrc|npmrc|pypirc|gitconfig|pgpass|my\.cnf|xinitrc|xprofile|xsession|wgetrc|curlrc|screenrc|tmux\.conf|envrc|mailcap|forward|rhosts)$/,
    'writes a file that runs or sets up programs',
  ],
  [/(?:^|\/)\.git\/(?:config|hooks(?:\/|$)|info\/attributes)/, 'writes a file that runs or sets up programs'],
  [/(?:^|\/)authorized_keys2?$/, 'writes where keys and settings are kept'],
]

export function isNothing(path: string): boolean {
  return NOTHING.test(path)
}

/** Why a write to this path is dangerous, or undefined. `..` and doubled slashes are resolved before. */
export function systemPath(path: string): string | undefined {
  const plain = plainPath(path)
  for (const [form, reason] of SYSTEM) if (form.test(plain)) return reason
  return undefined
}

function plainPath(path: string): string {
  if (!/\/[./]/.test(path)) return path.length > 1 ? path.replace(/\/$/, '') : path
  const absolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !absolute) parts.push(part)
  }
  return (absolute ? '/' : '') + parts.join('/')
}
