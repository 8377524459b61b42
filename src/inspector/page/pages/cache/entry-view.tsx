import type { CacheEntryPlace } from "../../../api/cache.js";
import { ConfirmAction } from "../../parts/actions/confirm-action.js";
import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { pathFromText, pathToText } from "../../parts/value-tree/path-text.js";
import { ValueTree } from "../../parts/value-tree/value-tree.js";
import { navigate, replaceRoute } from "../../routes/use-route.js";
import { useRead } from "../../server/use-read.js";
import { linkToEntry, linkToNamespace, namespaceTitle } from "./cache-links.js";
import { EntryFacts } from "./entry-facts.js";

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
          <ValueTree
            // What the tree has read is of one value.
            key={entry.createdAt}
            place={{ kind: "entry", namespace, key }}
            label="value"
            path={path === null ? undefined : pathFromText(path)}
            onPath={(chosen) => {
              replaceRoute(linkToEntry(place, { path: pathToText(chosen) }));
            }}
          />
        </>
      )}
    </div>
  );
}
