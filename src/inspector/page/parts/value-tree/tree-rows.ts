import type { TreeInstance } from "@headless-tree/core";
import type { ValuePath } from "../../../api/value-node.js";
import { idOf, idOfItem, ROOT, type TreeItem, type ValueItem, type ValueItems } from "./value-items.js";
import { briefText, describeType, hasChildren, pathFromText } from "./path-text.js";

/** A row as the library's tree takes it. */
interface Row {
  readonly id: string;
  readonly data: TreeItem;
}

/** How many parts of a value are opened with it. */
const FEW = 5;

/** The name of a row, which a screen reader says. */
export function nameOf(item: TreeItem): string {
  if (item.kind === "value") return `${item.label}: ${describeType(item.value)} ${briefText(item.value)}`;
  if (item.kind === "failure") return "The value can't be read. Try again";
  return `Show more of the elements ${item.from} to ${item.to - 1}`;
}

/** Whether a row can be opened. */
export function isFolder(item: TreeItem): boolean {
  return item.kind === "value" && hasChildren(item.value);
}

/** Loads the rows below a row of the tree. */
export async function loadRows(items: ValueItems, id: string): Promise<Row[]> {
  if (id === ROOT) return [rowOf(await items.loadRoot())];
  const path = pathFromText(id.slice(id.indexOf(":") + 1)) ?? [];
  await items.load(path);
  return items.rowsOf(path).map(rowOf);
}

/** Loads what a row stands for, and moves the focus to it. */
export async function loadMore(
  tree: TreeInstance<TreeItem>,
  items: ValueItems,
  item: Exclude<TreeItem, ValueItem>,
): Promise<void> {
  const position = item.kind === "gap" ? item.from : 0;
  await items.load(item.parent, position);
  showRows(tree, items, item.parent);
  const rows = items.rowsOf(item.parent);
  const next = rows.find((row) => row.kind === "value" && (row.path.at(-1) ?? 0) >= position) ?? rows[0];
  tree.getItemInstance(next === undefined ? idOf(item.parent) : idOfItem(next)).setFocused();
  tree.updateDomFocus();
}

/** Opens the values above a path, and makes its value the one that the keyboard starts from. Returns it, if there is one. */
export async function openPath(
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
    const opened = tree.getItemInstance(idOf(parent));
    if (!opened.isExpanded()) opened.expand();
  }
  const found = items.find(path);
  if (found !== undefined) tree.getItemInstance(idOf(path)).setFocused();
  return found;
}

/** Opens a value and the first levels below it, as far as they have few parts. */
export async function openLevels(
  tree: TreeInstance<TreeItem>,
  items: ValueItems,
  path: ValuePath,
  levels: number,
): Promise<void> {
  const item = items.find(path);
  if (levels === 0 || item === undefined || !isFolder(item)) return;
  await items.load(path);
  showRows(tree, items, path);
  const opened = tree.getItemInstance(idOf(path));
  if (!opened.isExpanded()) opened.expand();
  for (const row of items.rowsOf(path).slice(0, FEW))
    if (row.kind === "value") await openLevels(tree, items, row.path, levels - 1);
}

/** Gives the tree the rows of a value. */
export function showRows(tree: TreeInstance<TreeItem>, items: ValueItems, parent: ValuePath): void {
  const root = items.find(items.from);
  if (root !== undefined) setRows(tree, ROOT, [root]);
  setRows(tree, idOf(parent), items.rowsOf(parent));
}

function setRows(tree: TreeInstance<TreeItem>, parent: string, items: readonly TreeItem[]): void {
  const rows = items.map(rowOf);
  for (const { id, data } of rows) tree.getItemInstance(id).updateCachedData(data, true);
  tree.getItemInstance(parent).updateCachedChildrenIds(rows.map(({ id }) => id));
}

function rowOf(data: TreeItem): Row {
  return { id: idOfItem(data), data };
}
