import { OVERWRITE_KEY } from "../../serde/langchain/langgraph-layout.js";

/**
 * The value of an `Overwrite`: a write that replaces the value of a channel instead of being reduced into it.
 *
 * @returns `undefined` when the write is not an `Overwrite`.
 */
export function overwriteValue(write: unknown): { readonly value: unknown } | undefined {
  if (typeof write !== "object" || write === null) return undefined;
  if (OVERWRITE_KEY in write) return { value: write[OVERWRITE_KEY] };
  return "type" in write && write.type === OVERWRITE_KEY && "value" in write
    ? { value: write.value }
    : undefined;
}
