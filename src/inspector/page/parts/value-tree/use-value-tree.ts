import {
  asyncDataLoaderFeature,
  type FeatureImplementation,
  hotkeysCoreFeature,
  type TreeInstance,
} from "@headless-tree/core";
import { useTree } from "@headless-tree/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { read } from "../../server/call-server.js";
import { isFolder, loadMore, loadRows, nameOf, openLevels, openPath } from "./tree-rows.js";
import { ROOT, type TreeItem, type ValueItem, ValueItems } from "./value-items.js";

interface ValueTreeSettings {
  readonly place: ValuePlace;
  /** The name of the value that the tree begins with. */
  readonly label: string;
  /** The path of that value. */
  readonly from: ValuePath;
  /** How many levels are open at first. */
  readonly levels: number;
  /** Called when a person chooses a value. */
  readonly onChoose: (item: ValueItem) => void;
  readonly scrollTo: (index: number) => void;
}

/** A tree of a value that loads children when they are opened. */
interface LoadedTree {
  readonly tree: TreeInstance<TreeItem>;
  /** The value that the tree begins with, once it is loaded. */
  readonly root: ValueItem | undefined;
  /** Opens the values above a path. Returns its value, if there is one. */
  readonly open: (path: ValuePath) => Promise<ValueItem | undefined>;
}

/** Binds a stored value to the library's tree. */
export function useValueTree({
  place,
  label,
  from,
  levels,
  onChoose,
  scrollTo,
}: ValueTreeSettings): LoadedTree {
  const [items] = useState(
    () => new ValueItems((path, offset, limit) => read("value", { place, path, offset, limit }), label, from),
  );
  const [root, setRoot] = useState<ValueItem>();
  const focus = useRowFocus();
  const tree = useTree<TreeItem>({
    rootItemId: ROOT,
    features: [asyncDataLoaderFeature, hotkeysCoreFeature, focus.feature],
    dataLoader: {
      getItem: () => items.loadRoot(),
      getChildrenWithData: (id) => loadRows(items, id),
    },
    getItemName: (item) => nameOf(item.getItemData()),
    isItemFolder: (item) => isFolder(item.getItemData()),
    onPrimaryAction: (item) => {
      const data = item.getItemData();
      if (data.kind === "value") onChoose(data);
      else void loadMore(item.getTree(), items, data);
    },
    scrollToItem: (item) => {
      scrollTo(item.getItemMeta().index);
    },
    hotkeys: {
      customEnter: { hotkey: "Enter", preventDefault: true, handler: clickFocused },
      customSpace: { hotkey: "Space", preventDefault: true, handler: clickFocused },
    },
  });
  useLayoutEffect(() => {
    focus.moveTo(tree);
  });
  const open = useCallback((path: ValuePath) => openPath(tree, items, path), [tree, items]);
  useEffect(() => {
    void open(items.from).then((root) => {
      setRoot(root);
      return openLevels(tree, items, items.from, levels);
    });
  }, [open, tree, items, levels]);
  return { tree, open, root };
}

/**
 * Moves the browser's focus to the focused row as soon as it is rendered. The library itself gives up after half
 * a second and goes to the first row, which happens on a busy machine.
 */
function useRowFocus() {
  const isWanted = useRef(false);
  return useMemo(() => {
    const moveTo = (tree: TreeInstance<TreeItem>): void => {
      if (!isWanted.current) return;
      const element = tree.getFocusedItem().getElement();
      element?.focus();
      isWanted.current = !element;
    };
    const feature: FeatureImplementation = {
      key: "row-focus",
      treeInstance: {
        updateDomFocus: ({ tree }: { readonly tree: TreeInstance<TreeItem> }) => {
          isWanted.current = true;
          // The state of the tree changes with its next rendering.
          setTimeout(() => {
            tree.getConfig().scrollToItem?.(tree.getFocusedItem());
            moveTo(tree);
          });
        },
      },
    };
    return { feature, moveTo };
  }, []);
}

// What a click does. The element of the row need not exist yet, where somebody types fast.
function clickFocused(_event: KeyboardEvent, tree: TreeInstance<TreeItem>): void {
  const item = tree.getFocusedItem();
  item.primaryAction();
  if (!item.isFolder()) return;
  if (item.isExpanded()) item.collapse();
  else item.expand();
}
