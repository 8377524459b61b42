import { useInfiniteQuery } from "@tanstack/preact-query";
import { Failure } from "../../parts/failure.js";
import { read } from "../../server/call-server.js";
import { linkToMemory, type MemoryView } from "./memory-links.js";

const PAGE_SIZE = 200;

/** The way from the root to a namespace. */
export function Crumbs({ view: { prefix, item } }: { readonly view: Pick<MemoryView, "prefix" | "item"> }) {
  const isOpen = item !== undefined;
  return (
    <nav class="crumbs" aria-label="Namespace">
      <ol>
        {["All namespaces", ...prefix].map((label, depth) => (
          <li key={depth}>
            <a
              href={linkToMemory({ prefix: prefix.slice(0, depth) })}
              aria-current={depth === prefix.length && !isOpen ? "page" : undefined}
            >
              <bdi>{label}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The namespaces right below another one, page by page. */
export function Namespaces({ prefix }: { readonly prefix: readonly string[] }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["memoryNamespaces", prefix],
    queryFn: ({ pageParam, signal }) =>
      read("memoryNamespaces", { prefix, offset: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, _pages, offset) => (hasMore ? offset + PAGE_SIZE : undefined),
  });
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  const namespaces = data?.pages.flatMap((page) => page.namespaces) ?? [];
  if (namespaces.length === 0) return null;
  return (
    <div class="memory-namespaces">
      <ul aria-label="Namespaces below">
        {namespaces.map((namespace) => (
          <li key={namespace.join(".")}>
            <a href={linkToMemory({ prefix: namespace })}>
              <bdi>{namespace.at(-1)}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More namespaces
        </button>
      )}
    </div>
  );
}
