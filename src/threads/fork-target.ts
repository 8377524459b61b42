import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { CallContext } from "../db/call-context.js";
import { CheckpointNotFoundError } from "../errors/index.js";
import type { CheckpointKey, NamespaceKey } from "../saver/model/keys.js";
import { decodeJsonb } from "../serde/json/jsonb.js";
import {
  type CheckpointHeader,
  parseHeader,
  parseStoredMetadata,
  requiredColumn,
} from "../saver/codec/parse-header.js";
import { getForkTarget } from "./queries/get-fork-target.js";

/** The checkpoint that is forked, without its values in blobs. */
export interface ForkTarget {
  readonly key: CheckpointKey;
  readonly header: CheckpointHeader;
  readonly metadata: CheckpointMetadata;
  /** The metadata that the fork copies, as the text of a JSON object. */
  readonly carriedMetadata: string;
  /** The head of the namespace. */
  readonly headId: string;
  /** The channels whose values are in blobs. */
  readonly stored: ReadonlySet<string>;
  /** The channels that the target's tasks have written to. */
  readonly written: ReadonlySet<string>;
}

/**
 * Reads the checkpoint to fork.
 *
 * @throws CheckpointNotFoundError when the checkpoint is not stored.
 */
export async function readForkTarget(
  call: CallContext,
  target: NamespaceKey & Partial<CheckpointKey>,
): Promise<ForkTarget> {
  const row = await getForkTarget(call, target);
  if (row === undefined) throw new CheckpointNotFoundError(target);
  const key = { ...target, checkpointId: row.checkpoint_id };
  const [header, metadata] = await Promise.all([
    decodeJsonb(requiredColumn(row.checkpoint, "checkpoint", key), key, "header"),
    decodeJsonb(requiredColumn(row.metadata, "metadata", key), key),
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
