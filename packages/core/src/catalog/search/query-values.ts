/**
 * Paths, addresses and URLs in a request are values: their parts mislead, their kind helps. `/root/md/cancer.md` says that a Markdown
 * file is wanted, not what roots and cancer have to do with it.
 */

const ENDINGS: Readonly<Record<string, string>> = {
  md: 'markdown',
  docx: 'word document',
  doc: 'word document',
  pptx: 'powerpoint presentation',
  ppt: 'powerpoint presentation',
  xlsx: 'excel spreadsheet',
  xls: 'excel spreadsheet',
  csv: 'csv table',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  svg: 'svg image',
  mp3: 'audio',
  wav: 'audio',
  mp4: 'video',
  mov: 'video',
  py: 'python code',
  js: 'javascript code',
  ts: 'typescript code',
  sh: 'shell script',
  htm: 'html',
  yml: 'yaml',
  zip: 'zip archive',
  gz: 'archive',
  db: 'database',
  sqlite: 'sqlite database',
}

const URL_PATTERN = /\bhttps?:\/\/([^\s/"'<>)\]]{1,200})[^\s"'<>)\]]*/gi
const MAIL_PATTERN = /[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}/g
const PATH_PATTERN = /(?<![\w/])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)[\w.-]{1,100}(?:[/\\][\w.-]{0,100}){0,40}/g

/** Replaces values by words for their kind; text without any comes back as it is. */
export function valuesAsKinds(text: string): string {
  let told = text
  if (text.includes('://')) told = told.replace(URL_PATTERN, (_, host: string) => ` url ${siteOf(host)} `)
  if (text.includes('@')) told = told.replace(MAIL_PATTERN, ' email ')
  if (text.includes('/') || text.includes('\\')) told = told.replace(PATH_PATTERN, pathAsKind)
  return told
}

/** `www.youtube.com` → `youtube` */
function siteOf(host: string): string {
  const labels = host.replace(/:\d+$/, '').split('.')
  return labels.length < 2 || labels.every((label) => /^\d+$/.test(label)) ? '' : (labels.at(-2) ?? '')
}

function pathAsKind(path: string): string {
  const ending = /\.([A-Za-z0-9]{1,8})\.?$/.exec(path)?.[1]?.toLowerCase()
  if (ending === undefined) return ' directory '
  return ` file ${Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : ending} `
}
