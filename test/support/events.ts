import { newId } from '../../src/kernel/ids';
import { type EventMetadata, type NewEvent } from '../../src/platform/event-store/event-store.port';

export const someMetadata = (): EventMetadata => ({
  event_id: newId('evt'),
  occurred_at: new Date().toISOString(),
  request_id: newId('req'),
  actor: { kind: 'test', id: 'tester' },
  schema: 1,
});

export const aNewEvent = (type = 'SomethingHappened', data: object = {}): NewEvent => ({
  type,
  data,
  metadata: someMetadata(),
});

export const newEvents = (count: number, data: (index: number) => object = (index) => ({ index })): NewEvent[] =>
  Array.from({ length: count }, (_, index) => aNewEvent('SomethingHappened', data(index)));

/** A name that no other test uses, including earlier runs against the same server. */
export const aStream = (category = 'contract_test'): string => `${category}-${newId('txn')}`;
