import type { ComponentChildren } from "preact";
import type { NamespaceSums } from "../../../../api/memory.js";
import { countText } from "../../../parts/number-texts.js";

interface ItemSumsListProps {
  readonly namespaces: readonly NamespaceSums[];
  readonly hasMore: boolean;
  /** Stands before a namespace, such as a box to choose it by. */
  readonly before?: (sums: NamespaceSums) => ComponentChildren;
}

/** What namespaces hold: how many items, of which have expired, and the first keys. */
export function ItemSumsList({ namespaces, hasMore, before }: ItemSumsListProps) {
  return (
    <ul class="erase-list" aria-label="Items by namespace">
      {namespaces.map((sums) => (
        <li key={sums.namespace.join(".")}>
          {before?.(sums) ?? <NamespaceName {...sums} />}
          <span class="dim">
            {countText(sums.items, "item")}
            {sums.expired > 0 && `, ${sums.expired} of them expired`}:{" "}
            {sums.keys.map((key, index) => (
              <span key={index}>
                {index > 0 && ", "}
                <bdi class="mono">{key === "" ? "(empty key)" : key}</bdi>
              </span>
            ))}
            {sums.items > sums.keys.length && ", …"}
          </span>
        </li>
      ))}
      {hasMore && <li class="dim">and more namespaces</li>}
    </ul>
  );
}

/** A namespace as a person reads it. */
export function NamespaceName({ namespace }: Pick<NamespaceSums, "namespace">) {
  return <bdi class="mono">{namespace.join(" / ")}</bdi>;
}
