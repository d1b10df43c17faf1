/** Functions of types that hold themselves. */

export interface Tree {
  name: string
  children?: Tree[]
}

/** Walks a tree. */
export function walkTree(tree: Tree): Tree {
  return { ...tree }
}

/** Walks two trees. */
export function walkTrees(left: Tree, right: Tree | null): { left: Tree; right: Tree | null } {
  return { left, right }
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** Takes any JSON. */
export function takeJson(value: Json): { value: Json } {
  return { value }
}

type Expression =
  | { op: 'number'; value: number }
  | { op: 'add' | 'mul'; left: Expression; right: Expression }
  | { op: 'neg'; of: Expression }

/** Takes a formula. */
export function takeExpression(expression: Expression): { expression: Expression } {
  return { expression }
}

interface Folder {
  name: string
  made: Date
  files: File[]
}
interface File {
  name: string
  parent?: Folder
}

/** Takes folders that hold files that hold folders. */
export function takeFolder(folder: Folder): Folder {
  const visit = (one: Folder): Folder => ({
    ...one,
    made: new Date(one.made.getTime()),
    files: one.files.map((file) => ({ ...file, ...(file.parent === undefined ? {} : { parent: visit(file.parent) }) })),
  })
  return visit(folder)
}

interface LinkedList<T> {
  value: T
  next: LinkedList<T> | null
}

/** Takes a linked list. */
export function takeLinked(list: LinkedList<bigint>): { list: LinkedList<bigint> } {
  list.value + 0n
  return { list }
}
