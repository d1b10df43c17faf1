/**
 * Owns looking a name up for a box: by questions to the name servers of this machine, and not by the system's own look-up, which takes one of the few
 * threads that files are read with. A box that asks for names of a slow server must not make the host wait.
 */
import { Resolver } from 'node:dns/promises'

/** All addresses of a name; rejects or gives none when there is none. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

const TIMEOUT_MS = 2_000
/** Some name servers never answer for IPv6; the addresses that are there do not wait for it long. */
const TIMEOUT_IPV6_MS = 1_000

/**
 * @param servers addresses with ports, e.g. `127.0.0.1:5353`; default: those that this machine asks
 * @example
 * ```ts
 * const resolve = nameServerLookup()
 * await resolve('example.com') // ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']
 * ```
 */
export function nameServerLookup(servers?: readonly string[]): ResolveHost {
  return async (host) => {
    // Made anew, so that a changed network is seen.
    const [four, six] = [new Resolver({ timeout: TIMEOUT_MS, tries: 2 }), new Resolver({ timeout: TIMEOUT_IPV6_MS, tries: 1 })]
    if (servers !== undefined) for (const resolver of [four, six]) resolver.setServers(servers)
    const answers = await Promise.allSettled([four.resolve4(host), six.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
