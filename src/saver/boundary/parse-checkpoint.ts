import { z } from "zod";
import { InvalidConfigError } from "../../errors.js";
import { channelVersion, keyText } from "./keys.js";
import { parse } from "./parse.js";

const record = z.custom<Record<string, unknown>>(isRecord, "must be an object");
const versions = z.record(keyText, channelVersion);

const checkpointShape = z.looseObject({
  v: z.number(),
  id: keyText.refine((id) => id !== "", "must not be empty"),
  ts: z.string(),
  channel_values: record.default({}),
  channel_versions: versions.default({}),
  versions_seen: z.record(z.string(), record).default({}),
});

/** A checkpoint whose shape has been checked; unknown keys are still there. */
export type CheckedCheckpoint = z.output<typeof checkpointShape>;

/** Checks the shape of the checkpoint that `put` was given. Its values are the serializer's business. */
export function parseCheckpoint(checkpoint: unknown): CheckedCheckpoint {
  return parse(checkpointShape, checkpoint, "checkpoint");
}

const metadataShape = z.looseObject({
  source: z.string().optional(),
  step: z.number().optional(),
  parents: z.record(z.string(), z.string()).optional(),
});

/** Checks the metadata that `put` was given: what LangGraph puts there, and whatever else an application does. */
export function parseMetadata(metadata: unknown): Record<string, unknown> {
  return parse(metadataShape, metadata, "metadata");
}

/** Checks the versions of the channels that are new with a checkpoint. */
export function parseNewVersions(newVersions: unknown): Record<string, string | number> {
  return parse(versions.default({}), newVersions, "newVersions");
}

const writes = z.array(z.tuple([keyText, z.unknown()]).readonly());

/** Checks the writes that `putWrites` was given: pairs of a channel and any value. */
export function parseWrites(value: unknown): readonly (readonly [channel: string, value: unknown])[] {
  return parse(writes, value, "writes");
}

/** Checks the id of the task that made some writes, and its path in the graph. */
export function parseTask(taskId: unknown, taskPath: unknown): { taskId: string; taskPath: string } {
  if (taskId === "") throw new InvalidConfigError("taskId", "must not be empty");
  return {
    taskId: parse(keyText, taskId, "taskId"),
    taskPath: parse(keyText.default(""), taskPath, "taskPath"),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
