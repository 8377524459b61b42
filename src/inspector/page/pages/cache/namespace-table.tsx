import type { ComponentChildren } from "preact";
import type { CacheNamespaceRow } from "../../../api/cache.js";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { Time } from "../../parts/time.js";
import { linkToNamespace, namespaceTitle } from "./cache-links.js";
import { ClearNamespaceAction } from "./clear-namespace-action.js";

const COLUMNS = ["Entries", "Expired", "Bytes", "Oldest", "Newest", "Next expiry"];

interface NamespaceTableProps {
  readonly title: string;
  readonly rows: readonly CacheNamespaceRow[];
}

/** What the namespaces with a prefix hold. */
export function NamespaceTable({ title, rows }: NamespaceTableProps) {
  return (
    <table class="cache-table">
      <caption class="sr-only">{title}</caption>
      <thead>
        <tr>
          <th scope="col">Namespace</th>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
          <td />
        </tr>
      </thead>
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
