import { z } from "zod";
import { InvalidConfigError } from "../../errors/index.js";
import { isPlainObject } from "../../serde/objects/inspect-object.js";
import {
  channelVersion,
  hasNoProtoKey,
  keyText,
  plainNumber,
  plainOrNoObject,
  PROTO_KEY,
  recordOf,
} from "../../parsing/keys.js";
import { parse } from "../../parsing/parse.js";

const channelValues = z.custom<Record<string, unknown>>(isRecord, "must be a plain object");
const versions = recordOf(keyText, channelVersion).default({});
// A header that could not be read back would make the whole checkpoint unreadable.
const seen = recordOf(z.string(), z.union([z.string(), plainNumber]));

const checkpointShape = z.looseObject({
  v: plainNumber,
  id: keyText.refine((id) => id !== "", "must not be empty"),
  ts: z.iso.datetime({
    offset: true,
    local: true,
    error: "must be an ISO 8601 time, such as 2026-03-01T12:00:00Z",
  }),
  channel_values: channelValues.default({}),
  channel_versions: versions,
  versions_seen: recordOf(z.string(), seen).default({}),
});

const checkedCheckpoint = z.unknown().refine(hasNoProtoKey, PROTO_KEY).pipe(checkpointShape);

/** A checkpoint of a valid shape. It keeps unknown keys. */
export type CheckedCheckpoint = z.output<typeof checkpointShape>;

/** Checks the shape of the checkpoint that `put` is to store. The serializer checks its values. */
export function parseCheckpoint(checkpoint: unknown): CheckedCheckpoint {
  return parse(checkedCheckpoint, checkpoint, "checkpoint");
}

const metadataShape = z.looseObject({
  source: z.string().optional(),
  // LangGraph counts from -2: a stub without a parent, the input, and then each super-step.
  step: z.int().min(-2).optional(),
  parents: recordOf(z.string(), z.string()).optional(),
});

const checkedMetadata = plainOrNoObject.pipe(metadataShape);

/** Checks the metadata that `put` is to store: the keys of LangGraph, and any that an application adds. */
export function parseMetadata(metadata: unknown): Record<string, unknown> {
  return parse(checkedMetadata, metadata, "metadata");
}

/** Checks the versions of the channels that a checkpoint changes. A wrapper around a saver may not pass them on. */
export function parseNewVersions(newVersions: unknown): Record<string, string | number> | undefined {
  return newVersions === undefined ? undefined : parse(versions, newVersions, "newVersions");
}

const writes = z.array(z.tuple([keyText, z.unknown()]).readonly());

/** Checks the writes that `putWrites` is to store: pairs of a channel and any value. */
export function parseWrites(value: unknown): readonly (readonly [channel: string, value: unknown])[] {
  return parse(writes, value, "writes");
}

const path = keyText.default("");

/** Checks the id of the task that made the writes, and its path in the graph. */
export function parseTask(taskId: unknown, taskPath: unknown): { taskId: string; taskPath: string } {
  if (taskId === "") throw new InvalidConfigError("taskId", "must not be empty");
  return {
    taskId: parse(keyText, taskId, "taskId"),
    taskPath: parse(path, taskPath, "taskPath"),
  };
}

// A Map or an instance of a class would look like an object without values.
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isPlainOrThrows(value);
}

// A Proxy that throws is reported when the value of a channel is read: that error names the channel.
function isPlainOrThrows(value: object): boolean {
  try {
    return isPlainObject(value);
  } catch {
    return true;
  }
}
