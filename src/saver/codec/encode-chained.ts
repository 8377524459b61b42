import type { ErrorLocation } from "../../errors/index.js";
import { innermost, wrapBytes } from "../../serde/serializer-layer.js";
import type { ChannelValueContext, ContextualSerializer } from "../../serde/serde-context.js";
import { MIN_SPLICED_BYTES, spliceTypeOf } from "../../splices/splice-type.js";
import type { ChainedValue, NextValue } from "../../splices/value-chain.js";
import { loadOnce } from "../../db/async/load-once.js";
import type { SpliceColumns } from "../queries/checkpoint-rows.js";
import { encodeAt, type EncodedValue, encodeValue } from "./encode-value.js";

// Savers without splices don't need it.
const loadValueChain = loadOnce(() => import("../../splices/value-chain.js"));

/** A value of a channel, and where it is stored. */
export interface ChainedRequest {
  readonly value: unknown;
  readonly context: ChannelValueContext;
  readonly location: ErrorLocation;
  /** The value of the channel in the parent, where it is remembered. */
  readonly previous: ChainedValue | undefined;
}

/** An encoded value, whole or as a splice. */
export interface EncodedChained extends EncodedValue {
  readonly splice?: SpliceColumns;
  /** What to remember of the value. Absent for a short value. */
  readonly chained?: ChainedValue;
}

/**
 * Encodes a value as a splice of the previous one where that saves at least half of it. It calls the serializer before it first
 * awaits, as `encodeValue` does.
 *
 * @throws SerializationError naming the channel and the path of a value that can't be stored.
 */
export async function encodeChained(
  serde: ContextualSerializer,
  { value, context, location, previous }: ChainedRequest,
): Promise<EncodedChained> {
  const { type, blob } = await encodeValue(innermost(serde), value, context, location);
  const wrapped = (tag: string, bytes: Uint8Array): Promise<EncodedValue> =>
    encodeAt(location, () => wrapBytes(serde, [tag, bytes], context));
  if (blob.byteLength < MIN_SPLICED_BYTES) return wrapped(type, blob);
  // A copy of its own: the serializer may return a part of a larger buffer, or use its buffer again.
  const bytes = new Uint8Array(blob);
  const { version } = context;
  const { nextValue, rowMarkOf, wholeValue } = await loadValueChain();
  const next: NextValue =
    previous === undefined ? { value: wholeValue(version, bytes) } : nextValue(previous, version, bytes);
  const { splice } = next;
  const encoded =
    splice === undefined ? await wrapped(type, bytes) : await wrapped(spliceTypeOf(type), splice.payload);
  const rowMark = encoded.blob === bytes ? undefined : rowMarkOf(version, encoded.blob);
  const chained = { ...next.value, rowMark };
  if (splice === undefined) return { ...encoded, chained };
  const { base, baseMark, wholeBytes } = splice;
  const whole = (): Promise<EncodedValue> => wrapped(type, bytes);
  return { ...encoded, splice: { base, baseMark, wholeBytes, whole }, chained };
}
