import { WEBHOOK_EVENT_TYPES as EVENT_TYPES } from '../../../sdk/src/webhook-event-types.ts';
import { WEBHOOK_EVENT_TYPES } from '../../../src/capabilities/webhooks/event-types.ts';
import { hasEvery } from './event-types.ts';

describe('the events that an endpoint can subscribe to', () => {
  it('are all offered', () => {
    expect([...EVENT_TYPES].sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
  });

  it('are all of them only if none is missing, whatever else there is', () => {
    expect(hasEvery([...EVENT_TYPES, 'later.added'])).toBe(true);
    expect(hasEvery(['later.added', ...EVENT_TYPES.slice(1)])).toBe(false);
  });
});
