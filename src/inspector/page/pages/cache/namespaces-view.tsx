import { useInfiniteQuery } from "@tanstack/preact-query";
import type { CacheNamespaceRow } from "../../../api/cache.js";
import { ConfirmAction } from "../../parts/actions/confirm-action.js";
import { Failure } from "../../parts/failure.js";
import { FirstSteps } from "../../parts/first-steps/first-steps.js";
import { Loading } from "../../parts/loading.js";
import { moveAmongRows } from "../../parts/move-among-rows.js";
import { read } from "../../server/call-server.js";
import { useOverview } from "../../server/overview-context.js";
import { prefixTitle } from "./cache-links.js";
import { NamespaceTable } from "./namespace-table.js";

const SAMPLE = `const cache = new PostgresCache(pool, { keyPrefix: "research" });
const graph = new StateGraph(State)
  .addNode("search", search, { cachePolicy: { ttl: 3600 } })
  .addEdge("__start__", "search")
  .compile({ cache });`;

/** The namespaces of all caches, by their prefixes. */
export function NamespacesView() {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["cacheNamespaces"],
    queryFn: ({ pageParam, signal }) =>
      read("cacheNamespaces", pageParam === "" ? {} : { after: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const namespaces = data?.pages.flatMap((page) => page.namespaces);
  return (
    <div class="cache">
      <h1>Cache</h1>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && namespaces === undefined && <Loading what="the cache" />}
      {namespaces?.length === 0 && !hasNextPage && <NoEntries />}
      <div data-list={namespaces?.length === 0 ? undefined : ""} onKeyDown={moveAmongRows}>
        {byPrefix(namespaces ?? []).map((rows) => (
          <PrefixSection key={rows[0]?.namespace} rows={rows} />
        ))}
      </div>
      {hasNextPage && (
        <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          More namespaces
        </button>
      )}
    </div>
  );
}

/** Groups neighbours with the same prefix: the order is that of their texts, which begin with it. */
function byPrefix(rows: readonly CacheNamespaceRow[]): readonly (readonly CacheNamespaceRow[])[] {
  const groups: CacheNamespaceRow[][] = [];
  for (const row of rows) {
    const group = groups.at(-1);
    if (group?.[0] !== undefined && prefixId(group[0]) === prefixId(row)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

function prefixId({ tenantId, keyPrefix, labels }: CacheNamespaceRow): string {
  return JSON.stringify([tenantId, keyPrefix, labels === undefined]);
}

function PrefixSection({ rows }: { readonly rows: readonly CacheNamespaceRow[] }) {
  const [first] = rows;
  if (first === undefined) return null;
  const { tenantId, keyPrefix, labels } = first;
  const title = labels === undefined ? "Other namespaces" : prefixTitle(first);
  return (
    <section>
      <div class="cache-head">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {labels !== undefined && (
          <ConfirmAction
            label="Clear all…"
            title="Clear all of this prefix"
            sentence={
              <>
                All entries of all namespaces under <bdi class="mono">{title}</bdi> are deleted; graphs
                compute these results again when they need them.
              </>
            }
            submit="Clear all"
            call="clearCachePrefix"
            args={{ tenantId, keyPrefix }}
          />
        )}
      </div>
      <NamespaceTable title={title} rows={rows} />
    </section>
  );
}

/** Says how to get the first entry. */
function NoEntries() {
  const { schema } = useOverview();
  return (
    <FirstSteps docs="cache.md" sample={SAMPLE}>
      <p>There are no entries yet.</p>
      <p class="dim">
        An entry appears here when a node or a task with a cache policy has run in a graph with a cache in the
        schema <bdi>{schema}</bdi>:
      </p>
    </FirstSteps>
  );
}
