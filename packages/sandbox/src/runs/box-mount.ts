/** A folder or file of the host in a box. */
export interface BoxMount {
  readonly host: string
  /** Absolute in the box. */
  readonly path: string
  readonly writable?: boolean
}
