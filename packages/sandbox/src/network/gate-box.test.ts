/** The whole way: programs in a box without a network, the relay, the gate, real servers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { certificate, openGate, serveHttp, serveHttps } from '../../test/network-gate.ts'
import { boxMissing, startBox, TEST_UID } from '../linux/test-box.test-helper.ts'
import { proxyEnvironment, relayCommand } from './relay.ts'
import type { NetworkGate } from './start-network-gate.ts'

const SOCKET = '/tmp/network.sock'
const missing = boxMissing()
const asRoot = process.getuid?.() === 0

/** What a script of bash prints in a box whose only way out is the gate. */
async function inBox(gate: NetworkGate, script: string): Promise<string> {
  const env = { ...proxyEnvironment(), CURL_CA_BUNDLE: '/tmp/ca.pem', SSL_CERT_FILE: '/tmp/ca.pem', NODE_EXTRA_CA_CERTS: '/tmp/ca.pem' }
  const words = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`)
  const code = [`cat > /tmp/ca.pem <<'EOF'`, certificate().cert.toString(), 'EOF', ...words, '"$@" || exit 9', script].join('\n')
  const box = startBox(['/usr/bin/bash', '-c', code, 'bash', ...relayCommand(SOCKET)], { extra: ['--bind', gate.socketPath, SOCKET] })
  box.status.resume()
  box.release()
  const [stdout, stderr, ended] = await Promise.all([box.stdout, box.stderr, box.ended])
  assert.equal(ended, 0, stderr)
  return stdout
}

const openForBox: typeof openGate = (options) => openGate({ ...options, ...(asRoot ? { owner: { uid: TEST_UID, gid: TEST_UID } } : {}) })

describe('programs in a box', { skip: missing ?? false }, () => {
  it('reach what is allowed with curl, python and node, and nothing else', async () => {
    await using plain = await serveHttp((request, response) => void request.pipe(response.writeHead(200, { 'X-Path': request.url ?? '' })))
    await using safe = await serveHttps((request, response) => void response.end(`safe ${request.method} ${request.url}`))
    const [http, https] = [`a.example:${plain.port}`, `b.example:${safe.port}`]
    await using opened = await openForBox({ allow: [http, https] })
    const script = `
      curl -sS -d body-of-curl http://${http}/; echo
      curl -sS https://${https}/curl; echo
      /usr/bin/python3 -I -c "import urllib.request as r; print(r.urlopen('http://${http}/', data=b'body-of-python').read().decode()); print(r.urlopen('https://${https}/python').read().decode())"
      /node/node -e "
        (async () => {
          console.log(await (await fetch('http://${http}/', { method: 'POST', body: 'body-of-node' })).text())
          console.log(await (await fetch('https://${https}/node')).text())
        })()"
      curl -s -o /dev/null -w 'refused %{http_code} %{http_connect}\\n' http://evil.example/
      curl -s -o /dev/null -w 'tunnel %{http_connect}\\n' https://evil.example/
      curl -s -o /dev/null -w 'inside %{http_code}\\n' http://127.0.0.1:${plain.port}/ --noproxy '*'
      curl -s -o /dev/null --noproxy '*' --connect-timeout 5 http://1.1.1.1/; echo "direct $?"
      head -c 3000000 /dev/zero | curl -sS --data-binary @- http://${http}/ | wc -c
    `
    const lines = (await inBox(opened.gate, script)).trim().split('\n')
    assert.deepEqual(lines, [
      'body-of-curl',
      'safe GET /curl',
      'body-of-python',
      'safe GET /python',
      'body-of-node',
      'safe GET /node',
      'refused 403 000',
      'tunnel 403',
      'inside 000',
      'direct 7',
      '3000000',
    ])
    assert.deepEqual(opened.gate.refused, ['evil.example:80', 'evil.example:443'])
    assert.deepEqual([...new Set(opened.asked)], ['a.example', 'b.example'])
  })

  it('find the relay still there after half requests, early ends and many connections', async () => {
    await using plain = await serveHttp((_request, response) => void response.end('reached'))
    const host = `a.example:${plain.port}`
    await using opened = await openForBox({ allow: [host], limits: { connections: 200 } })
    const script = `
      for n in $(seq 60); do exec {fd}<>/dev/tcp/127.0.0.1/3128; printf 'GET http' >&$fd; done
      for n in 1 2 3; do (exec 9<>/dev/tcp/127.0.0.1/3128; exec 9>&-); done
      exec 9<>/dev/tcp/127.0.0.1/3128; printf 'GET http://${host}/ HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n' >&9; tail -n 1 <&9; echo
      for n in 1 2 3 4 5; do curl -sS http://${host}/ & done; wait; echo
      echo done
    `
    const text = await inBox(opened.gate, script)
    assert.equal(text.match(/reached/g)?.length, 6)
    assert.match(text, /done\n$/)
  })
})
