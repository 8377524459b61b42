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
import { ROOT, type TreeItem, type ValueItem, ValueItems, rowIdOf, idOfItem } from "./value-items.js";
import { briefText, describeType, hasChildren, pathFromText } from "./value-texts.js";

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
    dataLoader: { getItem: () => items.loadRoot(), getChildrenWithData: (id) => loadRows(items, id) },
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

/** A row as the library's tree takes it. */
interface Row {
  readonly id: string;
  readonly data: TreeItem;
}

/** How many parts of a value are opened with it. */
const FEW = 5;

/** The name of a row, which a screen reader says. */
function nameOf(item: TreeItem): string {
  if (item.kind === "value") return `${item.label}: ${describeType(item.value)} ${briefText(item.value)}`;
  if (item.kind === "failure") return "The value can't be read. Try again";
  return `Show more of the elements ${item.from} to ${item.to - 1}`;
}

/** Whether a row can be opened. */
export function isFolder(item: TreeItem): boolean {
  return item.kind === "value" && hasChildren(item.value);
}

/** Loads the rows below a row of the tree. */
async function loadRows(items: ValueItems, id: string): Promise<Row[]> {
  if (id === ROOT) return [rowOf(await items.loadRoot())];
  const path = pathFromText(id.slice(id.indexOf(":") + 1)) ?? [];
  await items.load(path);
  return items.rowsOf(path).map(rowOf);
}

/** Loads what a row stands for, and moves the focus to it. */
async function loadMore(
  tree: TreeInstance<TreeItem>,
  items: ValueItems,
  item: Exclude<TreeItem, ValueItem>,
): Promise<void> {
  const position = item.kind === "gap" ? item.from : 0;
  await items.load(item.parent, position);
  showRows(tree, items, item.parent);
  const rows = items.rowsOf(item.parent);
  const next = rows.find((row) => row.kind === "value" && (row.path.at(-1) ?? 0) >= position) ?? rows[0];
  tree.getItemInstance(next === undefined ? rowIdOf(item.parent) : idOfItem(next)).setFocused();
  tree.updateDomFocus();
}

/** Opens the values above a path, and makes its value the one that the keyboard starts from. Returns it, if there is one. */
async function openPath(
  tree: TreeInstance<TreeItem>,
  items: ValueItems,
  path: ValuePath,
): Promise<ValueItem | undefined> {
  setRows(tree, ROOT, [await items.loadRoot()]);
  for (const [depth, step] of path.entries()) {
    if (depth < items.from.length) continue;
    const parent = path.slice(0, depth);
    if (items.find(parent) === undefined) return undefined;
    await items.load(parent, step);
    showRows(tree, items, parent);
    const opened = tree.getItemInstance(rowIdOf(parent));
    if (!opened.isExpanded()) opened.expand();
  }
  const found = items.find(path);
  if (found !== undefined) tree.getItemInstance(rowIdOf(path)).setFocused();
  return found;
}

/** Opens a value and the first levels below it, as far as they have few parts. */
async function openLevels(
  tree: TreeInstance<TreeItem>,
  items: ValueItems,
  path: ValuePath,
  levels: number,
): Promise<void> {
  const item = items.find(path);
  if (levels === 0 || item === undefined || !isFolder(item)) return;
  await items.load(path);
  showRows(tree, items, path);
  const opened = tree.getItemInstance(rowIdOf(path));
  if (!opened.isExpanded()) opened.expand();
  for (const row of items.rowsOf(path).slice(0, FEW))
    if (row.kind === "value") await openLevels(tree, items, row.path, levels - 1);
}

/** Gives the tree the rows of a value. */
function showRows(tree: TreeInstance<TreeItem>, items: ValueItems, parent: ValuePath): void {
  const root = items.find(items.from);
  if (root !== undefined) setRows(tree, ROOT, [root]);
  setRows(tree, rowIdOf(parent), items.rowsOf(parent));
}

function setRows(tree: TreeInstance<TreeItem>, parent: string, items: readonly TreeItem[]): void {
  const rows = items.map(rowOf);
  for (const { id, data } of rows) tree.getItemInstance(id).updateCachedData(data, true);
  tree.getItemInstance(parent).updateCachedChildrenIds(rows.map(({ id }) => id));
}

function rowOf(data: TreeItem): Row {
  return { id: idOfItem(data), data };
}
