import { MoreButton } from "../../parts/more-button.js";
import { usePages } from "../../server/use-pages.js";
import type { CacheEntryRow, CacheEntryPlace } from "../../../api/cache.js";
import { Failure, Loading } from "../../parts/read-state.js";
import { moveAmongRows } from "../../shell/keys/page-keys.js";
import { countText, formatBytes } from "../../parts/number-texts.js";
import { linkTo, navigate } from "../../routes/route.js";
import { read } from "../../server/call-server.js";
import {
  linkToEntry,
  namespaceTitle,
  prefixTitle,
  ClearNamespaceAction,
  linkToNamespace,
} from "./cache-namespaces.js";
import { ConfirmAction } from "../../parts/actions/action-dialog.js";
import { AddressedTree } from "../../parts/value-tree/value-tree.js";
import { useRead } from "../../server/use-read.js";
import { Time } from "../../parts/time.js";

const PAGE_SIZE = 50;

/** The entries of a namespace, the newest first. */
export function EntriesView({ namespace }: { readonly namespace: string }) {
  const { pages, ...list } = usePages(["cacheEntries", namespace], PAGE_SIZE, (page, signal) =>
    read("cacheEntries", { namespace, ...page }, signal),
  );
  const { error, hasMore, retry } = list;
  const labels = pages?.[0]?.labels;
  const entries = pages?.flatMap((page) => page.entries);
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
            <bdi class="dim">{prefixTitle(pages?.[0] ?? {})}</bdi>
          </>
        )}
      </p>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {error === null && entries === undefined && <Loading what="the entries" />}
      {entries !== undefined && (
        <>
          <p role="status" class="dim">
            {entries.length === 0
              ? "There are no entries in this namespace."
              : `${countText(entries.length, "entry", "entries")}${hasMore ? " so far" : ""}, the newest first`}
          </p>
          <ul class="cache-entries" data-list aria-label="Entries" onKeyDown={moveAmongRows}>
            {entries.map((entry) => (
              <Entry key={entry.key} namespace={namespace} entry={entry} />
            ))}
          </ul>
        </>
      )}
      <MoreButton list={list}>More entries</MoreButton>
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

interface EntryViewProps {
  readonly place: CacheEntryPlace;
  /** The chosen part of the value, as the address has it. */
  readonly path: string | null;
}

/** An entry with its value. */
export function EntryView({ place, path }: EntryViewProps) {
  const { namespace, key } = place;
  const { data, error, refetch } = useRead("cacheEntries", { namespace, key });
  const entry = data?.entries[0];
  const label = key === "" ? "(empty key)" : key;
  const list = linkToNamespace(namespace);
  return (
    <div class="cache">
      <div class="cache-head">
        <h1>
          <bdi>{label}</bdi>
        </h1>
        <ConfirmAction
          label="Delete…"
          title="Delete this entry"
          sentence={
            <>
              The entry <bdi class="mono">{label}</bdi> is deleted; graphs compute this result again when they
              need it.
            </>
          }
          submit="Delete"
          call="deleteCacheEntry"
          args={place}
          onDone={() => {
            navigate(list);
          }}
        />
      </div>
      <p>
        <a href={list}>
          Entries of <bdi>{namespaceTitle(namespace, data?.labels)}</bdi>
        </a>
      </p>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading what="the entry" />}
      {data !== undefined && entry === undefined && <p role="status">There is no such entry.</p>}
      {entry !== undefined && (
        <>
          <p>
            <EntryFacts entry={entry} />
          </p>
          <AddressedTree
            // What the tree has read is of one value.
            key={entry.createdAt}
            place={{ kind: "entry", namespace, key }}
            label="value"
            path={path}
            linkTo={(chosen) => linkToEntry(place, { path: chosen })}
          />
        </>
      )}
    </div>
  );
}

/** The age, the time to live and the size of an entry. */
function EntryFacts({ entry }: { readonly entry: CacheEntryRow }) {
  const { createdAt, expiresAt, isExpired, bytes } = entry;
  return (
    <span class="dim cache-facts">
      stored <Time at={createdAt} />,{" "}
      {expiresAt === undefined ? (
        "lives for ever"
      ) : (
        <>
          {isExpired ? "expired" : "expires"} <Time at={expiresAt} />
        </>
      )}
      , {formatBytes(bytes)}
    </span>
  );
}
