import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { CorruptCheckpointError } from "../errors/index.js";
import type { CheckpointKey } from "../saver/model/checkpoint-key.js";
import { timeInId } from "../saver/model/checkpoint-time.js";
import { decodeJsonb } from "../serde/jsonb/decode-jsonb.js";
import { parseStoredMetadata } from "../saver/codec/parse-header.js";

/** A checkpoint without its values. */
export interface CheckpointDescription {
  readonly time: Date;
  readonly step: number | undefined;
  readonly source: string | undefined;
  readonly metadata: CheckpointMetadata;
}

/**
 * Describes a checkpoint from its row.
 *
 * @param row - `metadata` is JSON text; `ts` is the header's time, needed only when the id contains no time.
 * @throws CorruptCheckpointError when the metadata is not an object, or when neither the id nor `ts` contains a time.
 */
export async function describeRow(
  key: CheckpointKey,
  row: { readonly metadata: string | null; readonly ts: string | null },
): Promise<CheckpointDescription> {
  const metadata = parseStoredMetadata(await decodeJsonb(row.metadata ?? "null", key), key);
  const { step, source }: { readonly step?: unknown; readonly source?: unknown } = metadata;
  return {
    time: timeInId(key.checkpointId) ?? timeOf(row.ts, key),
    step: typeof step === "number" ? step : undefined,
    source: typeof source === "string" ? source : undefined,
    metadata,
  };
}

function timeOf(ts: string | null, key: CheckpointKey): Date {
  const time = new Date(ts ?? NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new CorruptCheckpointError('neither the id nor the "ts" of the header contains a time', key);
}
