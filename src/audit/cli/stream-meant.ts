import { type EventStore } from '../../platform/event-store/event-store.port';
import { parseStreamName, streamOf } from '../../platform/event-store/stream-name';
import { is } from '../../events';
import { scan } from './scan';
import { UsageError } from './audit-call';
import { categoryOfId, isCategory } from '../../kernel/aggregates';

/**
 * The stream that a person means: by its full name, by the id alone, or by the request id that a caller chose. Such a
 * request id belongs to one merchant, and several merchants may use the same.
 */
export async function streamMeant(store: EventStore, name: string): Promise<string> {
  if (name.includes('-') && isCategory(parseStreamName(name).category)) return name;
  const category = categoryOfId(name);
  // A request id that the caller chose does not tell its category, so it is taken for a payment request's.
  const direct = streamOf(category ?? 'payment_request', name);
  if (category !== undefined) return direct;
  const [inOlderLog] = await store.readStream(direct, 0, 1);
  const found = new Set(inOlderLog === undefined ? [] : [direct]);
  for await (const event of scan(store, { label: 'looking for the request' })) {
    if (is(event, 'PaymentRequestCreated') && event.data.request_id === name) found.add(event.stream);
  }
  const [only = direct, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`several merchants have a request ${name}: say which of ${[only, ...others].join(', ')}`);
  }
  return only;
}
