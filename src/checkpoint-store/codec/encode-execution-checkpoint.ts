import { CheckpointTooLargeError, SerializationError } from "../../errors/index.js";
import { guardRead } from "../../serde/guard-read.js";
import { encodeJsonb } from "../../serde/jsonb/encode-jsonb.js";
import { textOf } from "../../serde/json/json-text.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { parseListedId, type ParsedCheckpoint } from "../boundary/parse-execution-checkpoint.js";
import type { StoredRecord } from "../model/stored-record.js";
import { withPlainNumbers } from "../../serde/jsonb/plain-numbers.js";
import { encodeState } from "./state-text.js";

/** How many bytes a checkpoint may have. */
export interface SizeLimits {
  /** The most bytes of state and metadata together, as the options have it. */
  readonly maxCheckpointBytes: number;
  /** The most bytes of each of them, as the database has it. */
  readonly maxTextBytes: number;
}

/** What encodes the checkpoints of a store. */
export interface CheckpointCodec extends SizeLimits {
  /** Encodes the states. `undefined`: they are JSON. */
  readonly serde: ContextualSerializer | undefined;
}

/**
 * Encodes a checkpoint. It reads the checkpoint before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws InvalidConfigError for an id in the metadata that no database can search for.
 * @throws SerializationError naming the path of a part that would not be read back equal.
 * @throws CheckpointTooLargeError for one with too many bytes.
 */
export async function encodeCheckpoint(
  codec: CheckpointCodec,
  { id, nodeName, state, metadata, timestamp, version }: ParsedCheckpoint,
): Promise<StoredRecord> {
  try {
    const listed = guardRead(
      () => ({
        executionId: parseListedId(metadata?.execution_id, "execution_id") ?? "",
        threadId: parseListedId(metadata?.thread_id, "thread_id"),
      }),
      {},
      "metadata",
    );
    const metadataText = metadata
      ? withPlainNumbers(textOf(encodeJsonb(metadata, "metadata"), "metadata"))
      : undefined;
    const stateText = await encodeState(state, id, codec.serde);
    checkSize(codec, id, stateText, metadataText);
    return { id, ...listed, nodeName, state: stateText, metadata: metadataText, timestamp, version };
  } catch (error) {
    throw error instanceof SerializationError ? error.at({ checkpointId: id }) : error;
  }
}

/** @throws CheckpointTooLargeError for a checkpoint with too many bytes. */
export function checkSize(codec: SizeLimits, id: string, state: string, metadata = ""): void {
  const { maxCheckpointBytes, maxTextBytes } = codec;
  const stateBytes = Buffer.byteLength(state);
  const metadataBytes = Buffer.byteLength(metadata);
  const bytes = stateBytes + metadataBytes;
  const limit = Math.max(stateBytes, metadataBytes) > maxTextBytes ? maxTextBytes : maxCheckpointBytes;
  if (bytes <= limit) return;
  throw new CheckpointTooLargeError(
    `checkpoint "${id}" has ${bytes} bytes (state ${stateBytes}, metadata ${metadataBytes}), the limit is ${limit}`,
    { bytes, maxBytes: limit, checkpointId: id },
  );
}
