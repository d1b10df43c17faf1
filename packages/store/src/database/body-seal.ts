/**
 * Owns how the content of a row is kept: as it is, or sealed with AES-256-GCM when a key is configured. What a body belongs to (table, tenant, session, number)
 * is part of the seal, so that a body that was moved to another row, or changed, does not open.
 *
 * Several keys may be known: all open, the first seals. A body says by which key it was sealed.
 *
 * Shape: byte 0 is 0 for an open body, whose bytes follow; 1 for a sealed one: length of the key's id, the id, 12 bytes nonce, the sealed bytes, 16 bytes
 * tag. The nonce is random: change the key before four billion bodies were sealed with it.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { AdjutantError } from '@adjutant/core/contract'

/** To what a body belongs: its table and the values of its key, in order. */
export type BodyPlace = readonly [table: string, ...key: (string | number)[]]

interface SealingKey {
  readonly id: string
  readonly key: Buffer
  /** The first bytes of every body sealed with it. */
  readonly head: Buffer
}

const PLAIN = 0
const SEALED = 1
const NONCE = 12
const TAG = 16
const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/

export class BodySeal {
  readonly #keys: ReadonlyMap<string, SealingKey>
  readonly #first: SealingKey | undefined

  /**
   * @param keys each `id:` and 32 bytes in base64 or 64 hex digits; without an id it gets one from its own digest. The first one seals.
   * @throws AdjutantError CONFIG_INVALID
   */
  constructor(keys: readonly string[] = []) {
    const read = keys.map(readKey)
    this.#keys = new Map(read.map((key) => [key.id, key]))
    this.#first = read[0]
    if (this.#keys.size !== read.length) throw new AdjutantError('CONFIG_INVALID', 'two encryption keys of the store have the same id')
  }

  /** Whether new bodies are sealed. */
  get active(): boolean {
    return this.#first !== undefined
  }

  /** Ids of the keys that are known, the one that seals first. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()]
  }

  /** What to keep for `body`. */
  seal(body: string | Uint8Array, place: BodyPlace): Uint8Array {
    const key = this.#first
    if (key === undefined) return plain(body)
    const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', key.key, nonce, { authTagLength: TAG })
    cipher.setAAD(Buffer.from(JSON.stringify(place), 'utf8'))
    return Buffer.concat([key.head, nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  /**
   * What was given to `seal`.
   *
   * @throws AdjutantError CONFIG_INVALID when its key is not known; STORE_FAILED when it is damaged, was sealed for another row or with another key of this id
   */
  open(kept: Uint8Array, place: BodyPlace): Uint8Array {
    if (kept[0] === PLAIN) return kept.subarray(1)
    if (kept[0] !== SEALED) throw damaged(place, 'it begins with no known mark')
    const length = kept[1] ?? 0
    const from = 2 + length
    const id = Buffer.from(kept.subarray(2, from)).toString('utf8')
    if (kept.length < from + NONCE + TAG || !KEY_ID.test(id)) throw damaged(place, 'it is cut off')
    const key = this.#keys.get(id)
    if (key === undefined) {
      throw new AdjutantError('CONFIG_INVALID', `${shown(place)} is encrypted with the key "${id}", which is not configured`, {
        hint: 'Add this key to the encryption keys of the store, after the one that is used for writing.',
      })
    }
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.key, kept.subarray(from, from + NONCE), { authTagLength: TAG })
      decipher.setAAD(Buffer.from(JSON.stringify(place), 'utf8'))
      decipher.setAuthTag(kept.subarray(kept.length - TAG))
      const opened = decipher.update(kept.subarray(from + NONCE, kept.length - TAG))
      decipher.final()
      return opened
    } catch (error) {
      throw new AdjutantError(
        'STORE_FAILED',
        `${shown(place)} does not open with the key "${id}": the key is another one, or the row was changed`,
        {
          cause: error,
          grade: 'final',
          outcome: 'not-run',
          hint: 'Check the encryption keys of the store; with the right key this row has to come from a backup.',
        },
      )
    }
  }

  /** `open`, as text. @param kept also what {@link plainAsText} gave */
  openText(kept: Uint8Array | string, place: BodyPlace): string {
    if (typeof kept === 'string') return kept
    // Read without a view of its own: this is met once for each step that is loaded.
    if (kept[0] === PLAIN) return Buffer.from(kept.buffer, kept.byteOffset + 1, kept.length - 1).toString('utf8')
    const bytes = this.open(kept, place)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  }
}

/**
 * For SQLite: a column of bodies, as text where it is not sealed. Text comes out of the driver at once; bytes first need a buffer for each row, which takes
 * longer than reading them.
 */
export function plainAsText(column: string): string {
  return `CASE WHEN substr(${column}, 1, 1) = x'00' THEN CAST(substr(${column}, 2) AS TEXT) ELSE ${column} END AS ${column}`
}

/** By which key a body is sealed; `undefined`: by none. */
export function sealedBy(kept: Uint8Array): string | undefined {
  if (kept[0] !== SEALED) return undefined
  return Buffer.from(kept.subarray(2, 2 + (kept[1] ?? 0))).toString('utf8')
}

/** Text is written to where it stays. */
function plain(body: string | Uint8Array): Uint8Array {
  const kept = Buffer.allocUnsafe((typeof body === 'string' ? Buffer.byteLength(body) : body.length) + 1)
  kept[0] = PLAIN
  if (typeof body === 'string') kept.write(body, 1, 'utf8')
  else kept.set(body, 1)
  return kept
}

function readKey(text: string, index: number): SealingKey {
  const colon = text.indexOf(':')
  const encoded = colon === -1 ? text : text.slice(colon + 1)
  const key = /^[0-9a-f]{64}$/i.test(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(encoded, 'base64')
  if (key.length !== 32) {
    throw new AdjutantError('CONFIG_INVALID', `encryption key ${index + 1} of the store has ${key.length} bytes instead of 32`, {
      hint: 'Make one with: openssl rand -base64 32',
    })
  }
  const id = colon === -1 ? createHash('sha256').update(key).digest('hex').slice(0, 12) : text.slice(0, colon)
  if (!KEY_ID.test(id)) {
    throw new AdjutantError('CONFIG_INVALID', `the id of encryption key ${index + 1} of the store is no name`, {
      hint: 'Use letters, digits, dot, - and _, at most 64.',
    })
  }
  return { id, key, head: Buffer.concat([Buffer.from([SEALED, id.length]), Buffer.from(id, 'utf8')]) }
}

function shown(place: BodyPlace): string {
  return `the row ${place.map((part) => String(part).slice(0, 60)).join('/')}`
}

function damaged(place: BodyPlace, how: string): AdjutantError {
  return new AdjutantError('STORE_FAILED', `${shown(place)} is damaged: ${how}`, {
    grade: 'final',
    outcome: 'not-run',
    hint: 'This row has to come from a backup; adjutant store check finds others.',
  })
}
