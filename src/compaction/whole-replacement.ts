import { encodeAt } from "../saver/codec/encode-value.js";
import type { ReadValue } from "../saver/codec/read-chain.js";
import { wrapBytes } from "../serde/serializer-layer.js";
import type { ChannelValueContext, ContextualSerializer } from "../serde/serde-context.js";
import type { Replacement } from "./queries/replace-value.js";

/** Stores a value whole. */
export async function wholeReplacement(
  serde: ContextualSerializer,
  context: ChannelValueContext,
  { type, bytes }: Pick<ReadValue, "type" | "bytes">,
): Promise<Replacement> {
  const whole = await encodeAt(context, () => wrapBytes(serde, [type, bytes], context));
  return { version: context.version, ...whole, base: null, wholeBytes: null };
}
