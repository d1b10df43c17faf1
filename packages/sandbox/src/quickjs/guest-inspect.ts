/**
 * Owns how values are shown by `console` in a box. Runs inside of the engine, together with the code whose values it shows: it must not use
 * anything of this module or of the host (its text is what is taken there), never calls a getter, and survives values that throw.
 */

/** Gives back the function that shows a value. */
export function guestInspect(): (value: unknown) => string {
  const MAX_ITEMS = 100
  const MAX_DEPTH = 4
  const MAX_CHARACTERS = 100_000
  const WIDTH = 76
  const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object
  const { ownKeys } = Reflect
  const stringify = JSON.stringify
  let budget = 0

  const tagOf = (value: object): string => {
    for (let at: object | null = value, steps = 0; at !== null && steps < 20; at = getPrototypeOf(at), steps += 1) {
      const made = getOwnPropertyDescriptor(at, 'constructor')?.value
      if (typeof made === 'function') {
        const name: unknown = getOwnPropertyDescriptor(made, 'name')?.value
        if (typeof name === 'string' && name !== '') return name
      }
    }
    return 'Object'
  }
  const text = (error: object, key: string): string => {
    try {
      const value: unknown = Reflect.get(error, key)
      return typeof value === 'string' ? value : ''
    } catch {
      return ''
    }
  }
  const showError = (error: Error): string => {
    const name = text(error, 'name') || 'Error'
    const message = text(error, 'message')
    const stack = text(error, 'stack').trimEnd()
    const head = message === '' ? name : `${name}: ${message}`
    return stack === '' || stack.startsWith(head) ? stack || head : `${head}\n${stack}`
  }
  const wrap = (open: string, parts: readonly string[], close: string, indent: string): string => {
    if (parts.length === 0) return `${open}${close}`
    const line = `${open} ${parts.join(', ')} ${close}`
    if (line.length + indent.length <= WIDTH && !line.includes('\n')) return line
    return `${open}\n${parts.map((part) => `${indent}  ${part}`).join(',\n')}\n${indent}${close}`
  }
  const showKey = (key: string | symbol): string =>
    typeof key === 'symbol' ? `[${String(key)}]` : IDENTIFIER.test(key) ? key : stringify(key)

  const show = (value: unknown, depth: number, seen: readonly object[], indent: string): string => {
    if (budget <= 0) return '…'
    budget -= 8
    switch (typeof value) {
      case 'string':
        budget -= value.length
        return stringify(value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value)
      case 'bigint':
        return `${String(value)}n`
      case 'symbol':
        return String(value)
      case 'number':
        return Object.is(value, -0) ? '-0' : String(value)
      case 'function': {
        const name: unknown = getOwnPropertyDescriptor(value, 'name')?.value
        return typeof name === 'string' && name !== '' ? `[Function: ${name}]` : '[Function (anonymous)]'
      }
      case 'object':
        if (value === null) return 'null'
        try {
          return showObject(value, depth, seen, indent)
        } catch {
          return '[cannot be shown]'
        }
      default:
        return String(value)
    }
  }
  const showObject = (value: object, depth: number, seen: readonly object[], indent: string): string => {
    if (seen.includes(value)) return '[Circular]'
    if (value instanceof Error) return seen.length === 0 ? showError(value) : `[${showError(value).split('\n')[0]}]`
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
    if (value instanceof RegExp) return String(value)
    if (value instanceof Promise) return 'Promise {}'
    const tag = tagOf(value)
    if (depth > MAX_DEPTH) return Array.isArray(value) ? '[Array]' : `[${tag}]`
    const inner = `${indent}  `
    const within = [...seen, value]
    const next = (item: unknown): string => show(item, depth + 1, within, inner)
    const some = <T>(items: Iterable<T>, count: number, each: (item: T) => string): string[] => {
      const parts: string[] = []
      for (const item of items) {
        if (parts.length === MAX_ITEMS || budget <= 0) {
          parts.push(`… ${count - parts.length} more`)
          break
        }
        parts.push(each(item))
      }
      return parts
    }
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const length = Array.isArray(value) ? value.length : 'length' in value && typeof value.length === 'number' ? value.length : 0
      const shown = Math.min(length, MAX_ITEMS)
      const parts: string[] = []
      for (let index = 0; index < shown && budget > 0; index += 1) {
        const descriptor = getOwnPropertyDescriptor(value, index)
        parts.push(descriptor === undefined ? '<empty>' : 'value' in descriptor ? next(descriptor.value) : '[Getter]')
      }
      if (length > parts.length) parts.push(`… ${length - parts.length} more`)
      return wrap(Array.isArray(value) ? '[' : `${tag}(${length}) [`, parts, ']', indent)
    }
    if (value instanceof Map) {
      const parts = some(value.entries(), value.size, ([key, item]) => `${next(key)} => ${next(item)}`)
      return wrap(`Map(${value.size}) {`, parts, '}', indent)
    }
    if (value instanceof Set) return wrap(`Set(${value.size}) {`, some(value.values(), value.size, next), '}', indent)
    const keys = ownKeys(value).filter((key) => getOwnPropertyDescriptor(value, key)?.enumerable === true)
    const parts = some(keys, keys.length, (key) => {
      const descriptor = getOwnPropertyDescriptor(value, key)
      const shown = descriptor === undefined ? 'undefined' : 'value' in descriptor ? next(descriptor.value) : '[Getter]'
      return `${showKey(key)}: ${shown}`
    })
    const bare = getPrototypeOf(value) === null
    return wrap(bare ? '[Object: null prototype] {' : tag === 'Object' ? '{' : `${tag} {`, parts, '}', indent)
  }
  return (value) => {
    budget = MAX_CHARACTERS
    return show(value, 0, [], '')
  }
}
