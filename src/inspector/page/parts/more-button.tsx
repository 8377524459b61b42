import type { PagedList } from "../server/use-pages.js";

interface MoreButtonProps {
  readonly list: PagedList;
  readonly children: string;
}

/** Reads the next page of a list, where there is one. */
export function MoreButton({ list: { hasMore, isLoadingMore, loadMore }, children }: MoreButtonProps) {
  if (!hasMore) return null;
  return (
    <button type="button" disabled={isLoadingMore} onClick={loadMore}>
      {children}
    </button>
  );
}
