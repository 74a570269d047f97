import { isOurs } from '../../../projections/payment-request-document';
import { type EventStore } from '../../platform/event-store/event-store.port';
import { parseStreamName, streamOf } from '../../platform/event-store/stream-name';
import { is } from '../../events';
import { scan } from './scan';
import { UsageError } from './audit-call';
import { CATEGORIES, type Category, categoryOfId, isCategory } from '../../kernel/aggregates';

/**
 * Finds the stream a person refers to by its full name, by its id alone, or by the request id that a caller chose. Such
 * an id is unique only within its merchant. `among` limits the categories to consider.
 */
export async function resolveStream(
  store: EventStore,
  name: string,
  among: readonly Category[] = CATEGORIES,
): Promise<string> {
  const named = name.includes('-') ? parseStreamName(name).category : '';
  const known = isCategory(named) ? named : categoryOfId(name);
  // A request id that the caller chose does not reveal its category, so assume a payment request.
  const direct = isCategory(named) ? name : streamOf(known ?? 'payment_request', name);
  const [first] = await store.readStream(direct, 0, 1);
  const isDirect = first !== undefined && among.includes(known ?? 'payment_request');
  if (isOurs(name) || (isDirect && known !== undefined)) return direct;
  // It may still be a request id that a caller chose, whatever it looks like: `inv_2024_1` or `session-5`.
  const found = new Set(isDirect ? [direct] : []);
  for await (const event of scan(store, { label: 'looking for the request' })) {
    if (is(event, 'PaymentRequestCreated') && event.data.request_id === name) found.add(event.stream);
  }
  const [only = direct, ...others] = found;
  if (others.length > 0) {
    throw new UsageError(`several merchants have a request ${name}: name one of ${[only, ...others].join(', ')}`);
  }
  return only;
}
