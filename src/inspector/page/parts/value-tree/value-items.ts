import type { ReadCalls } from "../../../api/inspector-api.js";
import type { ValueChild, ValueNode, ValuePath } from "../../../api/value-node.js";
import { pathToText, stepLabel } from "./value-texts.js";

/** How many children a page has. */
const PAGE_SIZE = 100;

/** A row of the tree. */
export type TreeItem =
  | {
      readonly kind: "value";
      readonly path: ValuePath;
      /** The name of the property, or the position of the element. */
      readonly label: string;
      /** The place in the whole value, such as `[3].content`. */
      readonly place: string;
      readonly value: ValueNode;
    }
  /** Children that are not loaded: those at the positions from `from` to `to - 1`. */
  | { readonly kind: "gap"; readonly parent: ValuePath; readonly from: number; readonly to: number }
  | { readonly kind: "failure"; readonly parent: ValuePath; readonly error: unknown };

/** A value of the tree. */
export type ValueItem = Extract<TreeItem, { kind: "value" }>;

/** The item above the visible ones. */
export const ROOT = "root";

/** The id of the value at a path. */
export function rowIdOf(path: ValuePath): string {
  return `value:${pathToText(path)}`;
}

/** The id of a row. */
export function idOfItem(item: TreeItem): string {
  if (item.kind === "value") return rowIdOf(item.path);
  const parent = pathToText(item.parent);
  return item.kind === "gap" ? `gap:${parent}:${item.from}` : `failure:${parent}`;
}

/** Reads a page of a value's children. */
type ReadPage = (path: ValuePath, offset: number, limit: number) => Promise<ReadCalls["value"]["result"]>;

/** The parts of a value that are loaded: pages of the children of the values that were opened. */
export class ValueItems {
  /** The path of the value that the tree begins with. */
  readonly from: ValuePath;
  readonly #read: ReadPage;
  readonly #label: string;
  readonly #values = new Map<string, ValueItem>();
  /** By id of the parent, then by number of the page. */
  readonly #pages = new Map<string, Map<number, readonly ValueChild[]>>();
  readonly #failures = new Map<string, unknown>();

  /** @param label - The name of the value that the tree begins with. */
  constructor(read: ReadPage, label: string, from: ValuePath) {
    this.from = from;
    this.#read = read;
    this.#label = label;
  }

  /** Returns a value, if it is loaded. */
  find(path: ValuePath): ValueItem | undefined {
    return this.#values.get(rowIdOf(path));
  }

  /** Loads the children around a position. A failure becomes a row. */
  async load(parent: ValuePath, position = 0): Promise<void> {
    const id = rowIdOf(parent);
    const page = Math.floor(position / PAGE_SIZE);
    if (this.#pages.get(id)?.has(page) === true) return;
    try {
      const { value, children } = await this.#read(parent, page * PAGE_SIZE, PAGE_SIZE);
      if (parent.length === this.from.length) this.#values.set(id, this.#root(value));
      this.#add(id, page, children);
      this.#failures.delete(id);
    } catch (error) {
      this.#failures.set(id, error);
    }
  }

  /** The rows below a value: its children, and what stands for those that are not loaded. */
  rowsOf(parent: ValuePath): readonly TreeItem[] {
    const id = rowIdOf(parent);
    const rows: TreeItem[] = [];
    let position = 0;
    const pages = [...(this.#pages.get(id) ?? [])].sort(([left], [right]) => left - right);
    for (const [page, children] of pages) {
      if (children.length === 0) continue;
      const from = page * PAGE_SIZE;
      if (from > position) rows.push({ kind: "gap", parent, from: position, to: from });
      for (const { step } of children) {
        const item = this.find([...parent, step]);
        if (item !== undefined) rows.push(item);
      }
      position = from + children.length;
    }
    const size = this.#values.get(id)?.value.size ?? 0;
    const failure = this.#failures.get(id);
    if (failure !== undefined) rows.push({ kind: "failure", parent, error: failure });
    // Before the first page has come, nothing is known to be left out.
    else if (pages.length > 0 && position < size)
      rows.push({ kind: "gap", parent, from: position, to: size });
    return rows;
  }

  /** The row of the value that the tree begins with, or of why it can't be read. */
  async loadRoot(): Promise<TreeItem> {
    const { from } = this;
    await this.load(from);
    return this.find(from) ?? { kind: "failure", parent: from, error: this.#failures.get(rowIdOf(from)) };
  }

  #root(value: ValueNode): ValueItem {
    return { kind: "value", path: this.from, label: this.#label, place: this.#label, value };
  }

  #add(id: string, page: number, children: readonly ValueChild[]): void {
    const parent = this.#values.get(id);
    if (parent === undefined) return;
    for (const { step, label, value } of children) {
      const path = [...parent.path, step];
      const place = `${parent.place}${stepLabel(parent.value.type, label)}`;
      this.#values.set(rowIdOf(path), { kind: "value", path, label, place, value });
    }
    const pages = this.#pages.get(id) ?? new Map<number, readonly ValueChild[]>();
    this.#pages.set(id, pages.set(page, children));
  }
}
