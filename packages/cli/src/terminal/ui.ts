/** What a command needs of whoever sits at the terminal, or of nobody. */
import type { Approver, Asker, EventSink, ToolCall } from '@adjutant/core'

export interface Ui {
  readonly approver: Approver
  readonly asker: Asker
  /** Takes all events of the session. */
  readonly events: EventSink
  /** The model's text is shown by this UI already: a command must not print it a second time to the same terminal. */
  readonly showsText: boolean
  /** Tells what calls are about that no model event announces. */
  expect(calls: readonly ToolCall[]): void
  /** One line for people. */
  note(text: string, kind?: 'note' | 'warning'): void
  /** Draws what is left and gives the terminal back as it was. Safe to call twice. */
  close(): Promise<void>
}
