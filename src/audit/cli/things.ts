import { type EventStore } from '../../platform/event-store/event-store.port';
import { parseStreamName, streamName } from '../../platform/event-store/stream-name';
import { is } from './every-event';
import { scan } from './scan';
import { UsageError } from './surroundings';

/** What the first letters of an id say it is. A request id that the caller chose says nothing, and so is a payment request's. */
const CATEGORIES: Readonly<Record<string, string>> = {
  mac: 'merchant_account',
  lnk: 'email_link',
  grt: 'grant',
  ses: 'session',
  mer: 'merchant',
  rcp: 'recipient',
  agt: 'agent',
  ast: 'assertion',
  cpk: 'credential_key',
  dev: 'wallet_device',
  inv: 'connect_invitation',
  prs: 'pairing_session',
  con: 'connection',
  txn: 'transaction_context',
  pr: 'payment_request',
  whe: 'webhook_endpoint',
  whd: 'webhook_delivery',
  rwd: 'webhook_rewind',
  key: 'api_key',
  pol: 'automation_policy',
  ap: 'agent_payment',
};

const OTHERS = ['transparency_log', 'signing_key', 'service_secret', 'webhook_outcomes'];
const known = new Set([...Object.values(CATEGORIES), ...OTHERS]);

export const isCategory = (name: string): boolean => known.has(name);
export const categories: readonly string[] = [...known].sort();

/**
 * The stream a person means: by its whole name, by the id of the thing alone, or by the request id that a caller chose. Such a name
 * is one merchant's, and each merchant may have one of it.
 */
export async function streamMeant(store: EventStore, name: string): Promise<string> {
  if (name.includes('-') && known.has(parseStreamName(name).category)) return name;
  const [, prefix = ''] = /^([a-z]+)_/.exec(name) ?? [];
  const direct = streamName(CATEGORIES[prefix] ?? 'payment_request', name);
  if (CATEGORIES[prefix] !== undefined) return direct;
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
