/**
 * Owns the one way out of the boxes of a sandbox: the gate on the host, its socket in the box, the relay that programs find, and what was refused
 * since somebody last asked. Without it a box has no network but its own loopback.
 */

import type { BoxMount } from '../runs/box-mount.ts'
import { type NetworkGate, type NetworkGateOptions, proxyEnvironment, relayCommand, startNetworkGate } from './index.ts'

/** Where the socket is in the box. */
const SOCKET = '/run/network.sock'
/** A unix socket's path is short; below a longer folder the gate looks for a place itself. */
const LONGEST_PARENT = 50

/** What of the gate whoever makes the backend may decide. */
export type NetworkOptions = Pick<NetworkGateOptions, 'limits' | 'resolve' | 'mayConnect'>

export class BoxNetwork {
  readonly env = proxyEnvironment()
  readonly #gate: NetworkGate
  readonly #refused: Set<string>

  private constructor(gate: NetworkGate, refused: Set<string>) {
    this.#gate = gate
    this.#refused = refused
  }

  /** @throws AdjutantError CONFIG_INVALID for a wrong allow-list, SANDBOX_FAILED */
  static async open(options: Pick<NetworkGateOptions, 'allow' | 'clock' | 'owner'> & NetworkOptions, parent: string): Promise<BoxNetwork> {
    const refused = new Set<string>()
    const gate = await startNetworkGate({
      ...options,
      ...(parent.length > LONGEST_PARENT ? {} : { parent }),
      tried: ({ outcome, target }) => {
        if (outcome === 'refused' && refused.size < 200) refused.add(target)
      },
    })
    return new BoxNetwork(gate, refused)
  }

  get mount(): BoxMount {
    return { host: this.#gate.socketPath, path: SOCKET, writable: true }
  }

  /** The same command, once the way out is open. */
  lead(command: readonly string[]): readonly string[] {
    const relay = relayCommand(SOCKET)
    // The first so many words are the relay's, the others the command's.
    const open = [
      'n=$1; shift; i=0; relay=',
      `while [ $i -lt $n ]; do i=$((i + 1)); relay="$relay \\"\\\${$i}\\""; done`,
      'eval "$relay" || exit 125; shift $n; exec "$@"',
    ].join('\n')
    return ['/bin/sh', '-c', open, 'sh', String(relay.length), ...relay, ...command]
  }

  /** What was refused since this was asked last. */
  takeRefused(): readonly string[] {
    const all = [...this.#refused]
    this.#refused.clear()
    return all
  }

  close(): Promise<void> {
    return this.#gate.close()
  }
}
