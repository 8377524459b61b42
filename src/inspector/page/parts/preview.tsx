import type { ValueNode } from "../../api/value-node.js";
import { briefText, describeType } from "./value-tree/path-text.js";
import "./preview.css";

/** Shows a value on one line. */
export function Preview({ value }: { readonly value: ValueNode }) {
  return (
    <span class="preview">
      <span class="dim">{describeType(value)}</span> <bdi class="mono">{briefText(value)}</bdi>
    </span>
  );
}
