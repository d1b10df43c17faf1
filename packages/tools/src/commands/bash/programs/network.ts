/** Programs that fetch from other machines: printing what they get reads; sending, and writing it to files, does not. */
import { isNothing, systemPath } from '../data/paths.ts'
import type { Judge } from '../setting.ts'
import { dangerous, read, type Verdict, worst, write } from '../verdict.ts'
import type { Word } from '../word.ts'

function leaves(words: readonly Word[]): Verdict {
  const sends = words.some((word) => word.opens.some((kind) => kind !== 'number' && kind !== 'file') || word.substitution)
  return sends ? write('sends what it reads to another machine') : read('fetches from another machine')
}

/** Long options of curl by what they do; an abbreviation of one counts as it. */
const CURL_SENDS = /^--(?:data|json|form|upload|url-q|request|mail|quote|postquote|prequote|telnet|ftp-create|url-query|variable|expand)/
const CURL_WRITES =
  /^--(?:output|remote-(?:name|header|time)|cookie-jar|dump-header|trace|stderr|hsts|alt-svc|etag-save|libcurl|create-dirs|skip-existing|xattr|ssl-sessions)/
const CURL_RUNS = /^--(?:config|engine|netrc-file|proxy-|preproxy|socks|doh|unix-socket|abstract-unix)/
const CURL_SAFE =
  /^--(?:silent|show-error|location(?:-trusted)?|fail(?:-with-body|-early)?|head|insecure|include|compressed|verbose|get|max-time|connect-timeout|retry(?:-[a-z-]+)?|header|user|user-agent|referer|cookie|write-out|range|globoff|ipv4|ipv6|http[\d.]+|tlsv[\d.]+|tls-max|ciphers|cacert|capath|cert|key|proto(?:-[a-z]+)?|no-[a-z-]+|progress-bar|url|resolve|max-redirs|limit-rate|netrc|basic|digest|anyauth|oauth2-bearer|path-as-is|raw|tcp-[a-z]+|parallel|interface|disable|buffer|list-only|time-cond|continue-at|speed-[a-z]+|help|version|manual)(?:=|$)/
/** Single letters of curl that take a value. */
const CURL_VALUES = 'AbBCcDdEeFHhKmMoPQrTtUuwXxYyz'.replace('B', '').replace('M', '')
const CURL_WRITE_LETTERS = 'OJDco'
const CURL_SEND_LETTERS = 'dFTQt'

/** A format can name a file to write to, a header a file to send. */
function isHiddenWay(name: string, value: string | undefined): boolean {
  if (name === '-w' || name.startsWith('--write')) return value === undefined || value.startsWith('@') || value.includes('%output')
  return (name === '-H' || name.startsWith('--head')) && name !== '--head' && (value === undefined || value.startsWith('@'))
}

function shortOption(word: Word, next: Word | undefined): Verdict {
  let found = read('')
  for (let at = 1; at < word.lead.length; at++) {
    const letter = word.lead.charAt(at)
    const value = word.lead.slice(at + 1) !== '' ? word.pattern.slice(at + 1) : next?.pattern
    if (letter === 'K' || letter === 'x') found = worst(found, dangerous('takes settings that can run programs'))
    if (isHiddenWay(`-${letter}`, value)) found = worst(found, write('sends or writes a file'))
    if (letter === 'X' && !/^(?:GET|HEAD)$/.test(value ?? '')) found = worst(found, write('sends something to another machine'))
    if (CURL_SEND_LETTERS.includes(letter)) found = worst(found, write('sends something to another machine'))
    if (letter === 'o' || letter === 'D' || letter === 'c') {
      if (value === undefined || !(value === '-' || isNothing(value)))
        found = worst(found, systemPath(value ?? '') === undefined ? write('writes a file') : dangerous(systemPath(value ?? '') ?? ''))
    } else if (CURL_WRITE_LETTERS.includes(letter)) found = worst(found, write('writes a file'))
    if (CURL_VALUES.includes(letter)) break
  }
  return found
}

const judgeCurl: Judge = (words) => {
  let found = leaves(words)
  for (const [at, word] of words.entries()) {
    const { lead, text } = word
    if (lead.startsWith('--')) {
      const [name = lead, attached] = lead.split('=')
      const value = attached ?? words[at + 1]?.text
      if (isHiddenWay(name, value)) found = worst(found, write('sends or writes a file'))
      if (CURL_RUNS.test(name)) found = worst(found, dangerous('takes settings that can run programs'))
      else if (name === '--request' && /^(?:GET|HEAD)$/.test(value ?? '')) continue
      else if ((name === '--output' || name === '--dump-header') && value !== undefined && (value === '-' || isNothing(value))) continue
      else if (CURL_WRITES.test(name)) found = worst(found, write('writes a file'))
      else if (CURL_SENDS.test(name)) found = worst(found, write('sends something to another machine'))
      else if (!CURL_SAFE.test(name)) found = worst(found, write(`has the option ${name.slice(0, 40)}, which is not known to only read`))
    } else if (lead.startsWith('-') && text !== '-') found = worst(found, shortOption(word, words[at + 1]))
    else if (text === undefined && word.lead === '') found = worst(found, write('fetches what is only known when it runs'))
  }
  return found
}

const judgeWget: Judge = (words) => {
  if (words.some((word) => /^(?:-e|--execute|--config|--use-askpass|--rejected-log)/.test(word.lead)))
    return dangerous('takes settings that can run programs')
  const texts = words.map((word) => word.text)
  const printing = texts.some(
    (text, at) =>
      text !== undefined &&
      (/^-[a-zA-Z]*O(?:-|\/dev\/(?:null|stdout))$/.test(text) ||
        /^--output-document=(?:-|\/dev\/(?:null|stdout))$/.test(text) ||
        (/^(?:-[a-zA-Z]*O|--output-document)$/.test(text) && /^(?:-|\/dev\/(?:null|stdout))$/.test(texts[at + 1] ?? '')) ||
        text === '--spider'),
  )
  if (
    !printing ||
    words.some((word) =>
      /^--(?:post|body|method|save|append|output-f|warc|hsts-f|header)|^-[a-zA-Z]*[oarmPxbE]/.test(
        word.lead.replace(/^-[a-zA-Z]*O.*$/, (all) => all.slice(0, all.indexOf('O'))),
      ),
    )
  )
    return write('writes files that it fetches')
  return leaves(words)
}

const IP_SHOWS = /^(?:show|list|lst|sh|ls|l|get)$/
const judgeIp: Judge = (words) => {
  const texts = words.filter((word) => !/^-/.test(word.lead)).map((word) => word.text)
  if (words.some((word) => word.text === undefined || /^-(?:b|batch|force|n|netns)/.test(word.text)))
    return dangerous('changes the network')
  const [object, action] = texts
  if (/^(?:netns|xfrm|tuntap|l2tp|macsec|mptcp|vrf)$/.test(object ?? '')) return dangerous('changes the network')
  return action === undefined ||
    IP_SHOWS.test(action) ||
    (texts.length === 2 && /^(?:a|addr|address|l|link|r|route|n|neigh|ru|rule)$/.test(object ?? '') && /^dev$/.test(action))
    ? read('shows the network')
    : dangerous('changes the network')
}

/** A copy to or from another machine; deleting what is not at the source cannot be undone. */
const judgeRsync: Judge = (words) => {
  if (
    words.some((word) => /^(?:-[a-zA-Z]*e|--rsh|--rsync-path|--daemon|--config)/.test(word.lead)) &&
    !words.some((word, at) => /^(?:-[a-zA-Z]*e|--rsh)$/.test(words[at - 1]?.text ?? '') && /^ssh(?: -p ?\d+)?$/.test(word.text ?? ''))
  )
    return dangerous('runs another program')
  if (words.some((word) => /^--(?:del|remove-)/.test(word.lead))) return dangerous('deletes files, which cannot be undone')
  return undefined
}

export const NETWORK_JUDGES: Readonly<Record<string, Judge>> = { curl: judgeCurl, wget: judgeWget, ip: judgeIp, rsync: judgeRsync }
