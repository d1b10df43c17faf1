/** The faces of notifications. */
export type { AttemptReport, Courier, DeliverOptions, NotificationListener } from './courier.ts'
export { NOTIFICATION_TYPES, type Notification, type NotificationType } from './notification.ts'
export { type DeliveryFilter, type DeliveryState, Notifications, type StoredDelivery } from './notifications.ts'
export {
  checkTargets,
  type EmailSettings,
  type NotifySettings,
  type NotifyTarget,
  type SmtpSettings,
  type WebhookSettings,
} from './notify-target.ts'
export { Outbox } from './outbox.ts'
