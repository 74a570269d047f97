import { type QueryClient } from '@tanstack/react-query';
import { type MerchantClient } from '../../sdk/src/merchant/client.ts';
import { SvcError } from '../../sdk/src/errors.ts';
import { LiveFeed } from '../live/stream.ts';
import { portalSession } from './session.ts';

/** Which cached responses an event of this kind makes stale. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  payment_request: ['payments', 'deliveries', 'progress'],
  agent_payment: ['policies', 'agent-payments', 'deliveries'],
  connection: ['connections', 'policies', 'deliveries', 'progress'],
  recipient: ['recipients', 'deliveries', 'progress'],
  merchant_domain: ['domains', 'recipients', 'deliveries', 'progress'],
};

/** Batches a burst of events into one refetch. */
const DEBOUNCE_MS = 150;

/** Follows the merchant's feed until stopped, and invalidates the cache. */
export function followMerchant(client: MerchantClient, merchantId: string, queries: QueryClient): LiveFeed<unknown> {
  const old = new Set<string>();
  let timer: number | undefined;
  const soon = (keys: readonly string[]): void => {
    for (const key of keys) old.add(key);
    timer ??= window.setTimeout(() => {
      timer = undefined;
      const now = new Set(old);
      old.clear();
      void queries.invalidateQueries({ predicate: ({ queryKey }) => now.has(String(queryKey[0])) });
    }, DEBOUNCE_MS);
  };
  return new LiveFeed({
    name: merchantId,
    open: (since, signal) => client.openEvents(since, signal),
    newest: async (signal) => (await client.pollEvents({ since: 0, limit: 1 }, { signal })).newest_cursor,
    onEvent: ({ type }) => soon(KEYS[type.split('.')[0] ?? ''] ?? []),
    onCaughtUp: () =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'error-catalogue' }),
    onRefused: (error) => {
      if (error instanceof SvcError && error.status === 401) portalSession.lose();
    },
  });
}
