import { parseStreamName, streamName } from '../../platform/event-store/stream-name';

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
  key: 'api_key',
  pol: 'automation_policy',
  ap: 'agent_payment',
};

const OTHERS = ['transparency_log', 'signing_key'];
const known = new Set([...Object.values(CATEGORIES), ...OTHERS]);

export const isCategory = (name: string): boolean => known.has(name);
export const categories: readonly string[] = [...known].sort();

/** The stream a person means: by its whole name, or by the id of the thing alone. */
export function streamNamed(name: string): string {
  if (name.includes('-') && known.has(parseStreamName(name).category)) return name;
  const [, prefix = ''] = /^([a-z]+)_/.exec(name) ?? [];
  return streamName(CATEGORIES[prefix] ?? 'payment_request', name);
}
