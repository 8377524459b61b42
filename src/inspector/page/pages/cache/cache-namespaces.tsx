import { ColumnHeads } from "../../parts/column-heads.js";
import { MoreButton } from "../../parts/more-button.js";
import { growing } from "../../server/use-pages.js";
import { useInfiniteQuery } from "@tanstack/preact-query";
import type { CacheNamespaceRow, CacheEntryPlace, CachePrefix } from "../../../api/cache.js";
import { ConfirmAction } from "../../parts/actions/action-dialog.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { FirstSteps } from "../../parts/first-steps.js";
import { moveAmongRows } from "../../shell/keys/page-keys.js";
import { read } from "../../server/call-server.js";
import { useOverview } from "../../server/overview-context.js";
import type { ComponentChildren } from "preact";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { Time } from "../../parts/time.js";
import { linkTo, type RouteParams } from "../../routes/route.js";

const SAMPLE = `const cache = new PostgresCache(pool, { keyPrefix: "research" });
const graph = new StateGraph(State)
  .addNode("search", search, { cachePolicy: { ttl: 3600 } })
  .addEdge("__start__", "search")
  .compile({ cache });`;

/** The namespaces of all caches, by their prefixes. */
export function NamespacesView() {
  const query = useInfiniteQuery({
    queryKey: ["cacheNamespaces"],
    queryFn: ({ pageParam, signal }) =>
      read("cacheNamespaces", pageParam === "" ? {} : { after: pageParam }, signal),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
  });
  const list = growing(query);
  const { error, hasMore, retry } = list;
  const namespaces = query.data?.pages.flatMap((page) => page.namespaces);
  return (
    <div class="cache">
      <h1>Cache</h1>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {error === null && namespaces === undefined && <Loading what="the cache" />}
      {namespaces?.length === 0 && !hasMore && <NoEntries />}
      <div data-list={namespaces?.length === 0 ? undefined : ""} onKeyDown={moveAmongRows}>
        {byPrefix(namespaces ?? []).map((rows) => (
          <PrefixSection key={rows[0]?.namespace} rows={rows} />
        ))}
      </div>
      <MoreButton list={list}>More namespaces</MoreButton>
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

const COLUMNS = ["Namespace", "Entries", "Expired", "Bytes", "Oldest", "Newest", "Next expiry"];

interface NamespaceTableProps {
  readonly title: string;
  readonly rows: readonly CacheNamespaceRow[];
}

/** What the namespaces with a prefix hold. */
function NamespaceTable({ title, rows }: NamespaceTableProps) {
  return (
    <table class="cache-table">
      <caption class="sr-only">{title}</caption>
      <ColumnHeads titles={COLUMNS}>
        <td />
      </ColumnHeads>
      <tbody>
        {rows.map((row) => (
          <NamespaceLine key={row.namespace} row={row} />
        ))}
      </tbody>
    </table>
  );
}

function NamespaceLine({ row }: { readonly row: CacheNamespaceRow }) {
  const { namespace, labels, entries, expired, bytes, oldestAt, newestAt, nextExpiryAt } = row;
  return (
    <tr>
      <th scope="row">
        <a href={linkToNamespace(namespace)}>
          <bdi>{namespaceTitle(namespace, labels)}</bdi>
        </a>
      </th>
      <Figure name="Entries">{formatCount(entries)}</Figure>
      <Figure name="Expired">{formatCount(expired)}</Figure>
      <Figure name="Bytes">{formatBytes(bytes)}</Figure>
      <Figure name="Oldest">
        <Time at={oldestAt} />
      </Figure>
      <Figure name="Newest">
        <Time at={newestAt} />
      </Figure>
      <Figure name="Next expiry">
        {nextExpiryAt === undefined ? <span class="dim">never</span> : <Time at={nextExpiryAt} />}
      </Figure>
      <td class="cache-clear">
        <ClearNamespaceAction {...{ namespace, labels }} />
      </td>
    </tr>
  );
}

/** A cell, with the name of its column where there is no room for a head. */
function Figure({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <td>
      <span class="cache-label" aria-hidden>
        {name}{" "}
      </span>
      {children}
    </td>
  );
}

interface ClearNamespaceProps {
  readonly namespace: string;
  readonly labels: readonly string[] | undefined;
}

/** Deletes the entries of a namespace. */
export function ClearNamespaceAction({ namespace, labels }: ClearNamespaceProps) {
  return (
    <ConfirmAction
      label="Clear…"
      title="Clear this namespace"
      sentence={
        <>
          All entries of <bdi class="mono">{namespaceTitle(namespace, labels)}</bdi> are deleted; graphs
          compute these results again when they need them. The namespaces below it stay.
        </>
      }
      submit="Clear"
      call="clearCacheNamespace"
      args={{ namespace }}
    />
  );
}

/** Returns the link to the entries of a namespace. */
export function linkToNamespace(namespace: string): string {
  return linkTo("cache", [namespace]);
}

/** Returns the link to an entry. */
export function linkToEntry({ namespace, key }: CacheEntryPlace, params: RouteParams = {}): string {
  return linkTo("cache", [namespace, key], params);
}

/** What a page calls a namespace. */
export function namespaceTitle(namespace: string, labels: readonly string[] | undefined): string {
  if (labels === undefined) return namespace;
  return labels.length === 0 ? "(no labels)" : labels.join(" / ");
}

/** What a page calls the caches with a prefix. */
export function prefixTitle({ tenantId, keyPrefix }: CachePrefix): string {
  const prefix = keyPrefix === undefined ? "Without a prefix" : `Prefix ${keyPrefix}`;
  return tenantId === undefined ? prefix : `${prefix}, tenant ${tenantId}`;
}
