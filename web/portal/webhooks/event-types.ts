import { WEBHOOK_EVENT_TYPES } from '../../../sdk/src/webhook-event-types.ts';

/** Whether these are all types known to this page. A newer service may have more. */
export const hasEvery = (events: readonly string[]): boolean =>
  WEBHOOK_EVENT_TYPES.every((type) => events.includes(type));
