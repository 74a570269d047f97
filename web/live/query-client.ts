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
  /** However often something is invalidated during its first read, it is read once more. */
  readonly #again = new Map<Query, Promise<void>>();

  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const reading = this.getQueryCache().findAll({ ...filters, type: 'active', fetchStatus: 'fetching' });
    const again = reading.filter(({ state }) => state.data === undefined).map((query) => this.#afterFirstRead(query));
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }

  #afterFirstRead(query: Query): Promise<void> {
    const again = this.#again.get(query) ?? this.#readAgain(query);
    this.#again.set(query, again);
    return again;
  }

  async #readAgain(query: Query): Promise<void> {
    const failure: unknown = await query.fetch().then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#again.delete(query);
    // It has been tried several times by then, and is shown as failed.
    if (isPassing(failure)) return;
    await super.invalidateQueries({ predicate: (one) => one === query });
  }
}
