import { type InvalidateOptions, type InvalidateQueryFilters, type Query, QueryClient } from '@tanstack/react-query';
import { isPassing } from '../../sdk/src/errors.ts';

/** One cache. Events from the stream invalidate it, so queries do not poll by default. */
export const newQueryClient = (): QueryClient =>
  new RereadingClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => isPassing(error) && failures < 3,
        refetchOnWindowFocus: true,
        // A call without a network fails visibly instead of waiting silently.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/**
 * An invalidation joins the first read of something if it is under way, although that may have begun before the change.
 * Here it is read again afterwards: nothing else would say that what is shown is old.
 */
class RereadingClient extends QueryClient {
  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const reading = this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' });
    const again = reading.filter(({ state }) => state.data === undefined).map((query) => this.#afterFirstRead(query));
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }

  async #afterFirstRead(query: Query): Promise<void> {
    // Whoever shows it reports its failure.
    await query.fetch().catch(() => undefined);
    await super.invalidateQueries({ predicate: (one) => one === query });
  }
}
