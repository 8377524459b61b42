import type { ValueContext } from "../serde-context.js";

/** Distinguishes these ciphertexts from all others that the same key may have created. */
const PURPOSE = "langgraph-checkpoint-kysely";

const LENGTH_BYTES = 4;

/**
 * The data that is authenticated with a ciphertext but not stored in it. Each part is prefixed by its length, so that different
 * lists of parts are different bytes.
 *
 * @param header - the clear text before the ciphertext
 * @param type - the type tag, as it is stored
 * @param context - the row of the value
 */
export function associatedData(header: Uint8Array, type: string, context: ValueContext | undefined): Buffer {
  const parts = [PURPOSE, header, type, ...partsOf(context)];
  return Buffer.concat(parts.flatMap(withLengthPrefix));
}

function partsOf(context: ValueContext | undefined): string[] {
  if (context === undefined) return ["anywhere"];
  if ("namespace" in context) return ["item", ...context.namespace, context.key];
  const { threadId, checkpointNs, channel } = context;
  return "version" in context
    ? ["value", threadId, checkpointNs, channel, context.version]
    : ["write", threadId, checkpointNs, channel, context.checkpointId, context.taskId, String(context.idx)];
}

function withLengthPrefix(part: string | Uint8Array): [Buffer, Uint8Array] {
  const bytes = typeof part === "string" ? Buffer.from(part, "utf8") : part;
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
