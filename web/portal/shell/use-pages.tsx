import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../ui/Button.tsx';
import { Row } from '../../ui/Layout.tsx';

type Page<T> = Readonly<{ rows: readonly T[]; next: string | null }>;
type Fetch<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>;

/** A paged list; an invalidation refetches every loaded page. */
export function usePages<T>(key: readonly unknown[], fetch: Fetch<T>, refetchInterval: number | false = false) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => fetch(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval,
    placeholderData: (before) => before,
  });
  const rows = query.data?.pages.flatMap((page) => page.rows);
  return { ...query, data: rows };
}

type More = Readonly<{ hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }>;

export const ShowMore = ({ query }: Readonly<{ query: More }>) =>
  query.hasNextPage ? (
    <Row>
      <Button isPending={query.isFetchingNextPage} onPress={() => query.fetchNextPage()}>
        Show more
      </Button>
    </Row>
  ) : null;
