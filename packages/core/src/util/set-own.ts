/**
 * Sets a member as an own property, whatever its name: `__proto__` too becomes a member like others and never changes the prototype.
 */
export function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}
