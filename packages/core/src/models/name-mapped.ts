import type { DecodeEvent } from '../contract/decode.ts'
import type { WireNames } from '../registry/naming.ts'

/** The event with the name that the registry knows, where it has one. */
export function nameMapped(event: DecodeEvent, names: WireNames): DecodeEvent {
  if (event.type === 'call-start') {
    const name = names.fromWire(event.name)
    return name === event.name ? event : { ...event, name }
  }
  if (event.type === 'call') {
    const name = names.fromWire(event.call.name)
    return name === event.call.name ? event : { ...event, call: { ...event.call, name } }
  }
  return event
}
