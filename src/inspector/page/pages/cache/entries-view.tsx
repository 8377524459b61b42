import { useInfiniteQuery } from "@tanstack/preact-query";
import type { CacheEntryRow } from "../../../api/cache.js";
import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { moveAmongRows } from "../../parts/move-among-rows.js";
import { counted } from "../../parts/number-texts.js";
import { linkTo } from "../../routes/route.js";
import { read } from "../../server/call-server.js";
import { linkToEntry, namespaceTitle, prefixTitle } from "./cache-links.js";
import { ClearNamespaceAction } from "./clear-namespace-action.js";
import { EntryFacts } from "./entry-facts.js";

const PAGE_SIZE = 50;

/** The entries of a namespace, the newest first. */
export function EntriesView({ namespace }: { readonly namespace: string }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["cacheEntries", namespace],
    queryFn: ({ pageParam, signal }) =>
      read("cacheEntries", { namespace, offset: pageParam, limit: PAGE_SIZE }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, _pages, offset) => (hasMore ? offset + PAGE_SIZE : undefined),
  });
  const labels = data?.pages[0]?.labels;
  const entries = data?.pages.flatMap((page) => page.entries);
  return (
    <div class="cache">
      <div class="cache-head">
        <h1>
          <bdi>{namespaceTitle(namespace, labels)}</bdi>
        </h1>
        <ClearNamespaceAction {...{ namespace, labels }} />
      </div>
      <p>
        <a href={linkTo("cache")}>All namespaces</a>
        {labels !== undefined && (
          <>
            {" "}
            <bdi class="dim">{prefixTitle(data?.pages[0] ?? {})}</bdi>
          </>
        )}
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && entries === undefined && <Loading what="the entries" />}
      {entries !== undefined && (
        <>
          <p role="status" class="dim">
            {entries.length === 0
              ? "There are no entries in this namespace."
              : `${counted(entries.length, "entry", "entries")}${hasNextPage ? " so far" : ""}, the newest first`}
          </p>
          <ul class="cache-entries" data-list aria-label="Entries" onKeyDown={moveAmongRows}>
            {entries.map((entry) => (
              <Entry key={entry.key} namespace={namespace} entry={entry} />
            ))}
          </ul>
        </>
      )}
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More entries
        </button>
      )}
    </div>
  );
}

function Entry({ namespace, entry }: { readonly namespace: string; readonly entry: CacheEntryRow }) {
  const { key, value } = entry;
  return (
    <li class="cache-entry">
      <div class="cache-entry-line">
        <a href={linkToEntry({ namespace, key })}>
          <bdi>{key === "" ? "(empty key)" : key}</bdi>
        </a>
        <EntryFacts entry={entry} />
      </div>
      <div class={`mono cache-value${value?.type === "error" ? " cache-error" : ""}`}>
        {value === undefined ? "A large value: open the entry to see it." : <bdi>{value.text}</bdi>}
      </div>
    </li>
  );
}
