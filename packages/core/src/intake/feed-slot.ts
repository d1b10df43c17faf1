import type { JsonValue } from '../contract/json.ts'
import type { CallSlot } from './call-slot.ts'
import { skipJsonSpace } from './json-scanner.ts'

/**
 * Adds a piece of arguments to the call it belongs to, on wires that say for certain which that is. What follows the closing brace
 * makes the arguments no JSON object; it never starts a call of its own there.
 */
export function feedSlot(slot: CallSlot, piece: JsonValue | undefined): void {
  if (typeof piece !== 'string' || piece === '' || slot.settled) return
  if (!slot.complete && !slot.spoilt) {
    const rest = slot.append(piece)
    if (rest !== '' && !slot.settled) slot.spoil(rest)
    return
  }
  if (skipJsonSpace(piece) < piece.length) slot.spoil(piece)
}
