import { replaceRoute } from "../../routes/route.js";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { isFolder, useValueTree } from "./use-value-tree.js";
import type { ValueItem, TreeItem } from "./value-items.js";
import { pathFromText, pathToText, briefText, describeType } from "./value-texts.js";
import { ValueSearch } from "./value-search.js";
import type { ItemInstance } from "@headless-tree/core";
import { CopyButton } from "../copy-button.js";
import { LongText } from "../long-text.js";
import { fileAddress } from "../../server/call-server.js";
import { DownloadLink } from "../download-link.js";
import { countText, formatBytes } from "../number-texts.js";
import "./value-tree.css";

interface ValueTreeProps {
  readonly place: ValuePlace;
  /** The name of the value that the tree begins with, such as that of its channel. */
  readonly label: string;
  /** The part that the tree begins with. Default: the whole value. */
  readonly from?: ValuePath | undefined;
  /** Whether the tree shows several levels at once, and no search: for values that are small. */
  readonly isBrief?: boolean | undefined;
  /** The chosen part of the value. Without it the tree remembers what was chosen. */
  readonly path?: ValuePath | undefined;
  /** Called when a person chooses a part, for example to put it into the address. */
  readonly onPath?: (path: ValuePath) => void;
}

/**
 * Shows a stored value as a tree. Its parts are read when they are opened, so that its size does not matter.
 *
 * @example
 * ```tsx
 * <ValueTree label="messages" place={{ kind: "channel", threadId, namespace, checkpointId, channel: "messages" }} />
 * ```
 */
export function ValueTree(props: ValueTreeProps) {
  return <TreeOfPlace key={JSON.stringify([props.place, props.from])} {...props} />;
}

interface AddressedTreeProps extends Omit<ValueTreeProps, "path" | "onPath"> {
  /** The chosen part, as the address has it. */
  readonly path: string | null;
  /** Returns the link to a part. */
  readonly linkTo: (path: string) => string;
}

/** A {@link ValueTree} whose chosen part is in the address. */
export function AddressedTree({ path, linkTo, ...tree }: AddressedTreeProps) {
  return (
    <ValueTree
      {...tree}
      path={pathFromText(path)}
      onPath={(chosen) => {
        replaceRoute(linkTo(pathToText(chosen)));
      }}
    />
  );
}

/** The height of a row, in pixels, as value-tree.css has it. */
const ROW_HEIGHT = 28;

const WHOLE: ValuePath = [];

function TreeOfPlace({ place, label, from = WHOLE, isBrief = false, path, onPath }: ValueTreeProps) {
  const [chosen, setChosen] = useState<ValueItem>();
  const scroller = useRef<HTMLDivElement>(null);
  /** The row that has the focus. */
  const held = useRef<string | null>(null);
  const choose = (item: ValueItem): void => {
    setChosen(item);
    onPath?.(item.path);
  };
  const { tree, root, open } = useValueTree({
    ...{ place, label, from, levels: isBrief ? 3 : 1, onChoose: choose },
    scrollTo: (index) => {
      virtual.scrollToIndex(index);
    },
  });
  const rows = tree.getItems();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
    // The row that the keyboard starts from is always there, so that Tab finds the tree; and the one that has the focus until it moves.
    rangeExtractor: (range) => {
      const kept = [tree.getState().focusedItem, held.current].map((id) =>
        id === null ? 0 : tree.getItemInstance(id).getItemMeta().index,
      );
      const inRange = kept.filter((index) => index >= 0 && index < range.count);
      return [...new Set([...defaultRangeExtractor(range), ...inRange])];
    },
  });
  const show = async (shown: ValuePath): Promise<ValueItem | undefined> => {
    const item = await open(shown);
    if (item === undefined) return undefined;
    setChosen(item);
    tree.getConfig().scrollToItem?.(tree.getFocusedItem());
    return item;
  };
  const pathText = path && pathToText(path);
  useEffect(() => {
    if (path !== undefined && pathText !== (chosen && pathToText(chosen.path))) void show(path);
    // The path is a new list at each rendering.
  }, [pathText]);
  const goTo = async (found: ValuePath): Promise<void> => {
    const item = await show(found);
    if (item === undefined) return;
    onPath?.(item.path);
    tree.updateDomFocus();
  };
  return (
    <div class="value-tree">
      {from.length === 0 && !isBrief && <ValueSearch place={place} onOpen={(found) => void goTo(found)} />}
      <div class="value-tree-scroller" ref={scroller}>
        <div
          {...tree.getContainerProps(label)}
          class="value-tree-rows"
          onFocusIn={() => {
            held.current = tree.getState().focusedItem;
          }}
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const isChosen = chosen !== undefined && row.getItemData() === chosen;
            return <TreeRow key={row.getId()} row={row} start={start} isChosen={isChosen} />;
          })}
        </div>
      </div>
      <ValueDetails
        place={place}
        item={chosen ?? (root !== undefined && !isFolder(root) ? root : undefined)}
      />
    </div>
  );
}

/** The deepest level that is indented further than the one above it. */
const MAX_INDENT = 12;

interface TreeRowProps {
  readonly row: ItemInstance<TreeItem>;
  /** Where the row begins, in pixels. */
  readonly start: number;
  readonly isChosen: boolean;
}

/** A row of a tree of values. */
function TreeRow({ row, start, isChosen }: TreeRowProps) {
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

/** Shows the chosen part of a value in full. */
function ValueDetails({ place, item }: { readonly place: ValuePlace; readonly item: ValueItem | undefined }) {
  if (item === undefined) return <p class="dim value-details">Choose a value to see it in full.</p>;
  const { value, path } = item;
  const args = JSON.stringify({ place, path });
  return (
    <section class="value-details" aria-label="Chosen value">
      <p class="value-place">
        <bdi class="mono">{item.place}</bdi> <span class="value-type">{describeType(value)}</span>{" "}
        <span class="dim">{sizeOf(item)}</span>
      </p>
      <div class="value-actions">
        <CopyButton text={item.place}>Copy path</CopyButton>
        {value.type === "bytes" && (
          <DownloadLink address={fileAddress("download", { place, path })}>
            Download {formatBytes(value.size)}
          </DownloadLink>
        )}
      </div>
      <LongText key={args} place={place} path={path} value={value} canCopy />
    </section>
  );
}

function sizeOf({ value }: ValueItem): string {
  return value.type === "string" ? countText(value.size, "character") : "";
}
