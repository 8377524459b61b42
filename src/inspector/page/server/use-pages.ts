import { useInfiniteQuery, type UseInfiniteQueryResult } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";

/** A list that grows page by page. */
export interface PagedList {
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/** What a list of pages says of itself. */
export function growing(list: UseInfiniteQueryResult): PagedList {
  return {
    ...{ error: list.error, hasMore: list.hasNextPage, isLoadingMore: list.isFetchingNextPage },
    loadMore: () => void list.fetchNextPage(),
    retry: () => void list.refetch(),
  };
}

/** Where a page begins, and how many entries it has at most. */
interface PagePart {
  readonly offset: number;
  readonly limit: number;
}

/** Reads a list page by page. */
export function usePages<Page extends { readonly hasMore: boolean }>(
  queryKey: readonly unknown[],
  limit: number,
  readPage: (part: PagePart, signal: AbortSignal) => Promise<Page>,
): PagedList & { readonly pages: readonly Page[] | undefined } {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage({ offset: pageParam, limit }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }: Page, _pages, offset) => (hasMore ? offset + limit : undefined),
  });
  return { pages: list.data?.pages, ...growing(list) };
}

/**
 * Reads the next page as long as it is wanted.
 *
 * @param length - How many entries are loaded: a page may have brought none that is wanted.
 */
export function useGrowth(
  { hasMore, isLoadingMore, loadMore }: PagedList,
  isWanted: boolean,
  length = 0,
): void {
  useEffect(() => {
    if (isWanted && hasMore && !isLoadingMore) loadMore();
  }, [isWanted, hasMore, isLoadingMore, length]);
}
