import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { decodeJsonb } from "../../serde/jsonb/decode-jsonb.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "./parse-header.js";
import { requiredColumn } from "./required-column.js";

/** The JSONB columns of a row of `checkpoints`, as text. */
export interface HeaderColumns {
  readonly checkpoint: string | null;
  readonly metadata: string | null;
}

/** What the JSONB columns of a row of `checkpoints` hold. */
export interface ReadHeader {
  readonly header: CheckpointHeader;
  readonly metadata: CheckpointMetadata;
}

/**
 * Reads the header and the metadata of a checkpoint.
 *
 * @throws UnreadableError where the row is not a checkpoint.
 */
export async function readHeader(
  { checkpoint, metadata }: HeaderColumns,
  key: CheckpointKey,
): Promise<ReadHeader> {
  const header = await decodeJsonb(requiredColumn(checkpoint, "checkpoint", key), key, "header");
  const parsed = parseHeader(header, key);
  const given = await decodeJsonb(requiredColumn(metadata, "metadata", key), key);
  return { header: parsed, metadata: parseStoredMetadata(given, key) };
}
