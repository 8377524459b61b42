import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CallContext } from "../db/call-context.js";
import { CheckpointNotFoundError, CorruptCheckpointError } from "../errors/index.js";
import type { CheckpointKey, NamespaceKey } from "../saver/model/checkpoint-key.js";
import { decodeJsonb } from "../serde/jsonb/decode-jsonb.js";
import { type CheckpointHeader, parseHeader, parseStoredMetadata } from "../saver/codec/parse-header.js";
import { getForkTarget } from "./queries/get-fork-target.js";

/** The checkpoint that a fork follows, without the values that it shares with it. */
export interface ForkTarget {
  readonly key: CheckpointKey;
  readonly header: CheckpointHeader;
  readonly metadata: CheckpointMetadata;
  /** What a fork takes over of it: the text of a JSON object. */
  readonly carriedMetadata: string;
  /** The newest checkpoint of the namespace. */
  readonly headId: string;
  /** The channels whose values are in blobs. */
  readonly stored: ReadonlySet<string>;
  /** The channels that its tasks have written to so far. */
  readonly written: ReadonlySet<string>;
}

/**
 * Reads what a fork needs of its target.
 *
 * @throws CheckpointNotFoundError when there is no such checkpoint.
 */
export async function readForkTarget(
  call: CallContext,
  target: NamespaceKey & Partial<CheckpointKey>,
): Promise<ForkTarget> {
  const row = await getForkTarget(call, target);
  if (row === undefined) throw new CheckpointNotFoundError(target);
  const key = { ...target, checkpointId: row.checkpoint_id };
  const [header, metadata] = await Promise.all([
    decodeJsonb(required(row.checkpoint, "checkpoint", key), key),
    decodeJsonb(required(row.metadata, "metadata", key), key),
  ]);
  return {
    key,
    header: parseHeader(header, key),
    metadata: parseStoredMetadata(metadata, key),
    carriedMetadata: row.carried_metadata,
    headId: row.head_checkpoint_id,
    stored: new Set(names.parse(JSON.parse(row.stored))),
    written: new Set(names.parse(JSON.parse(row.written))),
  };
}

const names = z.array(z.string());

/** A column that the official savers' tables allow to be NULL. */
function required(value: string | null, column: string, key: CheckpointKey): string {
  if (value !== null) return value;
  throw new CorruptCheckpointError(`the column "${column}" is NULL`, key);
}
