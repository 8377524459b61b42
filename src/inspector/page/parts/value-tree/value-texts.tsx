import type { ValueNode, ValuePath, ValueType } from "../../../api/value-node.js";
import { formatCount } from "../number-texts.js";

const WITH_CHILDREN: ReadonlySet<ValueType> = new Set(["array", "object", "map", "set", "error", "other"]);

/** Whether a value has children that a tree can open. */
export function hasChildren({ type, size }: ValueNode): boolean {
  return WITH_CHILDREN.has(type) && size > 0;
}

/** What is said of a value beside its text: its class or type, and its size. */
export function describeType({ type, className, size }: ValueNode): string {
  const name = className ?? type;
  return WITH_CHILDREN.has(type) || type === "bytes" ? `${name} (${formatCount(size)})` : name;
}

/** A path as the address has it: `3.0`. */
export function pathToText(path: ValuePath): string {
  return path.join(".");
}

/** Reads a path of the address. One that a person has broken is none. */
export function pathFromText(text: string | null): ValuePath | undefined {
  if (text === null || !/^\d{1,9}(\.\d{1,9})*$/.test(text)) return undefined;
  return text.split(".").map(Number);
}

/** The place of a child as an expression: `[3]`, `.content`, `["a b"]`. */
export function stepLabel(parent: ValueType, label: string): string {
  if (parent === "array" || parent === "set") return `[${label}]`;
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(label) ? `.${label}` : `[${JSON.stringify(label)}]`;
}

const BRIEF = 200;

/** The text of a value on one line of a tree. */
export function briefText({ type, text, isCut }: ValueNode): string {
  const start = text.length > BRIEF ? text.slice(0, BRIEF) : text;
  // The preview of a value with children says itself what it leaves out.
  return start.length < text.length || (isCut && !WITH_CHILDREN.has(type)) ? `${start}…` : start;
}

import "./preview.css";

/** Shows a value on one line. */
export function Preview({ value }: { readonly value: ValueNode }) {
  return (
    <span class="preview">
      <span class="dim">{describeType(value)}</span> <bdi class="mono">{briefText(value)}</bdi>
    </span>
  );
}
