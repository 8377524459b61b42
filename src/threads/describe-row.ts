import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { isUnreadable } from "../errors/index.js";
import type { CheckpointKey } from "../saver/model/keys.js";
import { timeInId } from "../saver/model/checkpoint-time.js";
import { decodeJsonb } from "../serde/json/jsonb.js";
import { parseStoredMetadata } from "../saver/codec/parse-header.js";

/** A checkpoint without its values. */
interface CheckpointDescription {
  /** `undefined` where the row contains none. */
  readonly time: Date | undefined;
  readonly step: number | undefined;
  readonly source: string | undefined;
  /** `undefined` where the row contains no readable metadata. */
  readonly metadata: CheckpointMetadata | undefined;
  /** What of the row can't be read, as a text for people; absent where all of it can be read. */
  readonly damaged?: string;
}

/**
 * Describes a checkpoint from its row. A damaged row is described as far as it can be read, so that it hides no other one.
 *
 * @param row - `metadata` is JSON text; `ts` is the header's time, needed only when the id contains no time.
 */
export async function describeRow(
  key: CheckpointKey,
  row: { readonly metadata: string | null; readonly ts: string | null },
): Promise<CheckpointDescription> {
  const { metadata, damage } = await readMetadata(row.metadata, key);
  const time = timeInId(key.checkpointId) ?? timeOf(row.ts);
  const { step, source }: { readonly step?: unknown; readonly source?: unknown } = metadata ?? {};
  const damages = [
    ...(damage === undefined ? [] : [damage]),
    ...(time === undefined ? ['neither the id nor the "ts" of the header contains a time'] : []),
  ];
  return {
    time,
    step: typeof step === "number" ? step : undefined,
    source: typeof source === "string" ? source : undefined,
    metadata,
    ...(damages.length > 0 && { damaged: damages.join("; ") }),
  };
}

interface ReadMetadata {
  readonly metadata: CheckpointMetadata | undefined;
  /** Why it can't be read. */
  readonly damage?: string;
}

async function readMetadata(text: string | null, key: CheckpointKey): Promise<ReadMetadata> {
  try {
    return { metadata: parseStoredMetadata(await decodeJsonb(text ?? "null", key), key) };
  } catch (error) {
    if (isUnreadable(error)) return { metadata: undefined, damage: error.problem };
    throw error;
  }
}

function timeOf(ts: string | null): Date | undefined {
  const time = new Date(ts ?? NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
