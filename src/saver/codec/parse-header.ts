import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { CorruptCheckpointError, type ErrorLocation } from "../../errors/index.js";
import { decodeJsonb } from "../../serde/json/jsonb.js";
import type { CheckpointKey } from "../model/keys.js";

const object = z.custom<Record<string, unknown>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** The required keys, and the keys that checkpoints of older formats may lack. */
const headerShape = z.looseObject({
  v: z.number(),
  id: z.string(),
  ts: z.string(),
  channel_values: object.nullish(),
  channel_versions: z.record(z.string(), z.union([z.string(), z.number()])).nullish(),
  versions_seen: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number()]))).nullish(),
});

/** The header of a checkpoint as it is stored. */
export type CheckpointHeader = z.output<typeof headerShape>;

/** @throws CorruptCheckpointError where the row is not a checkpoint. */
export function parseHeader(value: unknown, location: ErrorLocation): CheckpointHeader {
  const result = headerShape.safeParse(value);
  if (result.success) return result.data;
  throw new CorruptCheckpointError(
    `the column "checkpoint" holds no checkpoint: ${z.prettifyError(result.error)}`,
    {
      ...location,
      cause: result.error,
    },
  );
}

const metadataShape = z.custom<CheckpointMetadata>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);

/** @throws CorruptCheckpointError where the metadata is not an object. Any keys are allowed. */
export function parseStoredMetadata(value: unknown, location: ErrorLocation): CheckpointMetadata {
  const result = metadataShape.safeParse(value);
  if (result.success) return result.data;
  throw new CorruptCheckpointError('the column "metadata" holds no object', {
    ...location,
    cause: result.error,
  });
}

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

/**
 * The key of the metadata in which LangGraph counts the changes of its delta channels. Updates of the state lack it.
 */
export const COUNTERS = "counters_since_delta_snapshot";

/** Returns the delta channels that LangGraph counts in the metadata of a checkpoint. */
export function countedChannels({ metadata }: { readonly metadata: object }): ReadonlyMap<string, unknown> {
  const counters: unknown = Reflect.get(metadata, COUNTERS);
  const isRecord = typeof counters === "object" && counters !== null && !Array.isArray(counters);
  return new Map(isRecord ? Object.entries(counters) : []);
}

/**
 * Returns the value of a column that the official savers' tables allow to be NULL.
 *
 * @throws CorruptCheckpointError when the column is NULL.
 */
export function requiredColumn(value: string | null, column: string, key: CheckpointKey): string {
  if (value !== null) return value;
  throw new CorruptCheckpointError(`the column "${column}" is NULL`, key);
}
