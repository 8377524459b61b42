import type { ItemInstance } from "@headless-tree/core";
import type { TreeItem, ValueItem } from "./value-items.js";
import { briefText, describeType } from "./path-text.js";

/** The deepest level that is indented further than the one above it. */
const MAX_INDENT = 12;

interface TreeRowProps {
  readonly row: ItemInstance<TreeItem>;
  /** Where the row begins, in pixels. */
  readonly start: number;
  readonly isChosen: boolean;
}

/** A row of a tree of values. */
export function TreeRow({ row, start, isChosen }: TreeRowProps) {
  const item = row.getItemData() as TreeItem | null;
  if (item === null) return null;
  const { level } = row.getItemMeta();
  return (
    <div
      {...row.getProps()}
      // What the row shows says it all.
      aria-label={undefined}
      class={`value-row value-row-${item.kind}`}
      aria-selected={isChosen}
      aria-busy={row.isLoading()}
      style={{ transform: `translateY(${start}px)`, paddingLeft: `${0.25 + Math.min(level, MAX_INDENT)}rem` }}
    >
      <span class="value-fold" aria-hidden="true">
        {row.isFolder() && (row.isExpanded() ? "▾" : "▸")}
      </span>
      {item.kind === "value" ? (
        <ValueText item={item} />
      ) : (
        <span class="value-more">{row.getItemName()}</span>
      )}
      {row.isLoading() && <span class="dim"> loading…</span>}
    </div>
  );
}

function ValueText({ item: { label, value } }: { readonly item: ValueItem }) {
  return (
    <>
      <bdi class="value-label">{label}</bdi> <span class="value-type">{describeType(value)}</span>{" "}
      <bdi class={`value-text value-of-${value.type}`}>{briefText(value)}</bdi>
    </>
  );
}
