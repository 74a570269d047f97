import { QueryClient } from '@tanstack/react-query';
import { isPassing } from '../../sdk/src/errors.ts';

/** One cache. Events from the stream invalidate it, so queries do not poll by default. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
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
