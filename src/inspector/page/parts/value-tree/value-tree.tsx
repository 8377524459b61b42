import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { TreeRow } from "./tree-row.js";
import { isFolder } from "./tree-rows.js";
import { useValueTree } from "./use-value-tree.js";
import { ValueDetails } from "./value-details.js";
import type { ValueItem } from "./value-items.js";
import { pathToText } from "./path-text.js";
import { ValueSearch } from "./value-search.js";
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
