import { WEBHOOK_EVENT_TYPES } from '../../../sdk/src/webhook-event-types.ts';

/** Whether these are all that are known here. A service that is newer may have others besides. */
export const hasEvery = (events: readonly string[]): boolean =>
  WEBHOOK_EVENT_TYPES.every((type) => events.includes(type));
