/**
 * Owns the `/etc` of boxes: a small folder made once, with what programs need to run and nothing of what this machine is about. One mount in place
 * of many; users, names and hosts in it are the box's own.
 */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'

/** Where programs are found, libraries, trusted certificates, fonts, the kinds of files. */
const TAKEN = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  'fonts',
  'mime.types',
  'ImageMagick-6',
  'localtime',
  'magic',
  // Debian's matplotlib does not start without.
  'matplotlibrc',
]

const WRITTEN: Readonly<Record<string, string>> = {
  passwd: 'sandbox:x:1000:1000:sandbox:/workspace:/bin/bash\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n',
  group: 'sandbox:x:1000:\nnogroup:x:65534:\n',
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
}

export function makeEtcFolder(folder: string, source = '/etc'): void {
  mkdirSync(folder, { mode: 0o755 })
  for (const name of TAKEN) {
    const from = `${source}/${name}`
    // A link stays one: what it points to is in the box's /usr or nowhere.
    if (existsSync(from)) cpSync(from, `${folder}/${name}`, { recursive: true, verbatimSymlinks: true, filter: isReadable })
  }
  for (const [name, text] of Object.entries(WRITTEN)) writeFileSync(`${folder}/${name}`, text, { mode: 0o644 })
}

/** Private keys lie beside certificates on some machines. */
function isReadable(path: string): boolean {
  return !path.includes('/private')
}
