import type { CheckpointValueContext, ContextualSerializer } from "../serde/serde-context.js";

/** What only values contain in which earlier versions may have kept the arguments of a message: the names of their fields for them. */
const MARKS = ["lc_js", "lc_kwargs"].map((name) => Buffer.from(name));

/** A value as the innermost serializer writes it. */
export interface SerializedValue {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes a value anew, so that its messages hold only what they are.
 *
 * @param serde - The innermost serializer.
 * @returns `undefined` where the value stays as it is.
 */
export async function sanitizedBytes(
  serde: ContextualSerializer,
  { type, bytes }: SerializedValue,
  context: CheckpointValueContext,
): Promise<SerializedValue | undefined> {
  const before = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!MARKS.some((mark) => before.includes(mark))) return undefined;
  const value = await serde.loadsTyped(type, bytes, context);
  const [newType, after] = await serde.dumpsTyped(value, context);
  return before.equals(after) ? undefined : { type: newType, bytes: after };
}
