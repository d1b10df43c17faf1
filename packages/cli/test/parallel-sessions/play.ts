/**
 * Owns the play: all sessions hide something, then all look for what the others hid, at the same time, by attempts that were drawn by chance; then each
 * finds all its own again, and ends while others still look.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { ATTEMPTS, FINDERS } from './attempts.ts'
import { hide } from './hide.ts'
import type { Pearls } from './pearls.ts'
import { type Address, namesOf, type Player, told } from './player.ts'

/** One attempt: which, at whom, with which number. All are taken modulo what there is. */
export interface Draw {
  readonly attempt: number
  readonly other: number
  readonly pick: number
}

export interface Played {
  readonly attempts: number
  /** Where sessions did not find their own again, and what they were told instead. */
  readonly lost: readonly string[]
  /** Milliseconds of hiding, looking, and finding again. */
  readonly took: readonly number[]
}

/** @param draws one list for each session */
export async function play(players: readonly Player[], pearls: Pearls, draws: readonly (readonly Draw[])[]): Promise<Played> {
  const times = [performance.now()]
  const kept = await Promise.all(players.map((player) => hide(player, pearls, player.index)))
  const serving = serversOnHost()
  const addresses: readonly Address[] = players.map(({ index, workspace, database }, at) => ({
    index,
    workspace,
    ...(database === undefined ? {} : { database }),
    kept: kept[at] ?? [],
    processes: serving.get(namesOf(index).abstract) ?? [],
  }))
  const addressOf = (at: number): Address => {
    const address = addresses[at % addresses.length]
    if (address === undefined) throw new Error('there are no sessions')
    return address
  }
  times.push(performance.now())
  let attempts = 0
  await Promise.all(
    players.map(async (player, at) => {
      for (const { attempt, other, pick } of draws[at] ?? []) {
        const possible = ATTEMPTS.filter(({ tool }) => player.tools.has(tool))
        const chosen = possible[attempt % possible.length]
        if (chosen === undefined) continue
        attempts += 1
        const aim = { me: player, own: addressOf(at), other: addressOf(other), pick }
        await told(player, pearls, chosen.name, [chosen.tool, chosen.input(aim)])
      }
    }),
  )
  times.push(performance.now())
  pearls.startAgain()
  const lost: string[] = []
  await Promise.all(
    players.map(async (player, at) => {
      const hidden = player.tools
      for (const finder of FINDERS) {
        if (!hidden.has(finder.tool)) continue
        const aim = { me: player, own: addressOf(at), other: addressOf(at), pick: 0 }
        const said = await told(player, pearls, finder.name, [finder.tool, finder.input(aim)])
        for (const place of pearls.missed(player.index, finder.finds)) lost.push(`${player.index} ${place}: ${said.text.slice(0, 600)}`)
      }
      await player.close()
    }),
  )
  times.push(performance.now())
  return { attempts, lost, took: times.slice(1).map((time, at) => Math.round(time - (times[at] ?? time))) }
}

/** Numbers of the servers' processes as the host sees them, by the name that they were given. */
function serversOnHost(): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const number of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let words: readonly string[]
    try {
      words = readFileSync(`/proc/${number}/cmdline`, 'utf8').split('\0')
    } catch {
      continue
    }
    const name = words.find((word) => /^harbour-\d+$/.test(word))
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), Number(number)])
  }
  return found
}
