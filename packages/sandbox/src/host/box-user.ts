/** Under whom boxes run when root starts them. */
export interface BoxUser {
  readonly uid: number
  readonly gid: number
}
