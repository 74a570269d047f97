import { QueryClient } from '@tanstack/react-query';
import { isPassing } from '../../sdk/src/errors.ts';

/** One cache. News from the stream make it look again, so nothing is asked for by the clock. */
export const newQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) => isPassing(error) && failures < 3,
        refetchOnWindowFocus: true,
        // A call that fails for want of a network says so; it does not wait in silence.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
