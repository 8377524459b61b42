import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { CorruptCheckpointError, type ErrorLocation } from "../../errors/index.js";

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
