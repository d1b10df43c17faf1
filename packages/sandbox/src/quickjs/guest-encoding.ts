/**
 * Owns what the language itself lacks and most code expects: text and base64 to bytes and back, and copies of structures. Runs inside of the
 * engine: it must not use anything of this module or of the host, its text is what is taken there.
 */

/** Gives back the names to be put into the global scope. */
export function guestEncoding(): Readonly<Record<string, unknown>> {
  class TextEncoder {
    readonly encoding = 'utf-8'
    encode(text: unknown = ''): Uint8Array {
      // Characters outside of the basic plane come as one item; a lone surrogate is the replacement character.
      const source = String(text)
      const bytes = new Uint8Array(source.length * 3)
      let at = 0
      for (let index = 0; index < source.length; index += 1) {
        let code = source.charCodeAt(index)
        if (code >= 0xd800 && code <= 0xdfff) {
          const low = code < 0xdc00 ? source.charCodeAt(index + 1) : Number.NaN
          if (low >= 0xdc00 && low <= 0xdfff) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
            index += 1
          } else code = 0xfffd
        }
        if (code < 0x80) bytes[at++] = code
        else if (code < 0x800) {
          bytes[at++] = 0xc0 | (code >> 6)
          bytes[at++] = 0x80 | (code & 63)
        } else if (code < 0x10000) {
          bytes[at++] = 0xe0 | (code >> 12)
          bytes[at++] = 0x80 | ((code >> 6) & 63)
          bytes[at++] = 0x80 | (code & 63)
        } else {
          bytes[at++] = 0xf0 | (code >> 18)
          bytes[at++] = 0x80 | ((code >> 12) & 63)
          bytes[at++] = 0x80 | ((code >> 6) & 63)
          bytes[at++] = 0x80 | (code & 63)
        }
      }
      return bytes.slice(0, at)
    }
  }
  class TextDecoder {
    readonly encoding = 'utf-8'
    readonly fatal: boolean
    constructor(label: unknown = 'utf-8', options: { readonly fatal?: boolean } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(String(label)))
        throw new RangeError(`TextDecoder: only utf-8 is known here, not ${label}`)
      this.fatal = options.fatal === true
    }
    decode(input: ArrayBuffer | ArrayBufferView = new ArrayBuffer(0)): string {
      const bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input)
      const parts: string[] = []
      let codes: number[] = []
      let index = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
      while (index < bytes.length) {
        const lead = bytes[index] ?? 0
        let more =
          lead < 0x80 ? 0 : lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xf0 && lead < 0xf5 ? 3 : -1
        let code = more <= 0 ? lead : lead & (0x3f >> more)
        index += 1
        let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
        let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
        while (more > 0) {
          const byte = bytes[index] ?? 0
          if (byte < low || byte > high) break
          code = (code << 6) | (byte & 63)
          low = 0x80
          high = 0xbf
          more -= 1
          index += 1
        }
        if (more !== 0) {
          if (this.fatal) throw new TypeError('TextDecoder: the bytes are no utf-8')
          code = 0xfffd
        }
        codes.push(code)
        if (codes.length === 1024) {
          parts.push(String.fromCodePoint(...codes))
          codes = []
        }
      }
      parts.push(String.fromCodePoint(...codes))
      return parts.join('')
    }
  }
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const btoa = (text: unknown): string => {
    const source = String(text)
    const parts: string[] = []
    for (let index = 0; index < source.length; index += 3) {
      const codes = [source.charCodeAt(index), source.charCodeAt(index + 1), source.charCodeAt(index + 2)].map((code) => code || 0)
      const [a = 0, b = 0, c = 0] = codes
      if (a > 255 || b > 255 || c > 255) throw new RangeError('btoa: a character is above 255; encode the text first')
      const left = source.length - index
      parts.push(
        DIGITS.charAt(a >> 2) +
          DIGITS.charAt(((a & 3) << 4) | (b >> 4)) +
          (left > 1 ? DIGITS.charAt(((b & 15) << 2) | (c >> 6)) : '=') +
          (left > 2 ? DIGITS.charAt(c & 63) : '='),
      )
    }
    return parts.join('')
  }
  const atob = (text: unknown): string => {
    const source = String(text)
      .replace(/[\t\n\f\r ]/g, '')
      .replace(/={1,2}$/, '')
    if (source.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(source)) throw new RangeError('atob: the text is no base64')
    const parts: string[] = []
    let bits = 0
    let held = 0
    for (const digit of source) {
      held = (held << 6) | DIGITS.indexOf(digit)
      bits += 6
      if (bits < 8) continue
      bits -= 8
      parts.push(String.fromCharCode((held >> bits) & 255))
      held &= (1 << bits) - 1
    }
    return parts.join('')
  }
  const clone = (value: unknown, known: Map<object, unknown>): unknown => {
    if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError(`structuredClone: a ${typeof value} cannot be copied`)
    if (typeof value !== 'object' || value === null) return value
    if (known.has(value)) return known.get(value)
    const keep = <T>(made: T): T => {
      known.set(value, made)
      return made
    }
    if (value instanceof Date) return keep(new Date(value.getTime()))
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
    if (value instanceof ArrayBuffer) return keep(value.slice(0))
    if (value instanceof DataView) return keep(new DataView(value.buffer.slice(0), value.byteOffset, value.byteLength))
    if (ArrayBuffer.isView(value) && 'slice' in value && typeof value.slice === 'function') return keep(value.slice())
    if (value instanceof Map) {
      const made = keep(new Map<unknown, unknown>())
      for (const [key, item] of value) made.set(clone(key, known), clone(item, known))
      return made
    }
    if (value instanceof Set) {
      const made = keep(new Set<unknown>())
      for (const item of value) made.add(clone(item, known))
      return made
    }
    if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name, stack: value.stack }))
    const made: object = keep(Array.isArray(value) ? new Array(value.length) : {})
    for (const key of Object.keys(value)) {
      const item = clone(Reflect.get(value, key), known)
      Object.defineProperty(made, key, { value: item, writable: true, enumerable: true, configurable: true })
    }
    return made
  }
  const structuredClone = (value: unknown): unknown => clone(value, new Map())
  return { TextEncoder, TextDecoder, atob, btoa, structuredClone }
}
