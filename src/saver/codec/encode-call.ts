import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import {
  parseCheckpoint,
  parseMetadata,
  parseNewVersions,
  parseTask,
  parseWrites,
} from "../boundary/parse-checkpoint.js";
import { parsePutConfig, parseWritesConfig } from "../boundary/parse-config.js";
import type { EncodedCheckpoint } from "../queries/put-checkpoint.js";
import type { EncodedWrites } from "../queries/put-pending-writes.js";
import type { SizeCheck } from "./size-check.js";
import { sizeOfCheckpoint, sizeOfWrites } from "./call-size.js";
import { encodeCheckpoint } from "./encode-checkpoint.js";
import { encodeWrites } from "./encode-writes.js";

/** How the calls of a saver are encoded. */
export interface CallEncoding {
  readonly serde: SerializerProtocol;
  /** Looks at how much each call stores; by default nothing does. */
  readonly sizeCheck?: SizeCheck;
  /** Picks what of a run's config belongs into the metadata; by default nothing does. */
  readonly metadataOf?: (config: unknown) => Record<string, unknown>;
}

/** The arguments of `put` as they were given. */
export type PutArguments = readonly [
  config: unknown,
  checkpoint: unknown,
  metadata: unknown,
  newVersions: unknown,
];

/** The arguments of `putWrites` as they were given. */
export type PutWritesArguments = readonly [
  config: unknown,
  writes: unknown,
  taskId: unknown,
  taskPath?: unknown,
];

/**
 * Checks and encodes a call of `put`, before it first awaits.
 *
 * @throws InvalidConfigError for an argument that can't be used.
 * @throws SerializationError naming the channel and the path of what can't be stored.
 * @throws CheckpointTooLargeError for a call that would store too much.
 */
export async function encodePut(
  { serde, sizeCheck, metadataOf }: CallEncoding,
  ...[config, checkpoint, metadata, newVersions]: PutArguments
): Promise<EncodedCheckpoint> {
  const request = {
    ...parsePutConfig(config),
    checkpoint: parseCheckpoint(checkpoint),
    metadata: { ...metadataOf?.(config), ...parseMetadata(metadata) },
    newVersions: parseNewVersions(newVersions),
  };
  // Other serializers may encrypt, or write for readers that know no inline values; so may a class of an application's own
  // that extends this one.
  const inlineScalars = serde.constructor === MsgpackSerializer;
  const encoded = await encodeCheckpoint(request, { serde, inlineScalars });
  sizeCheck?.check(encoded, () => sizeOfCheckpoint(encoded));
  return encoded;
}

/** The same for a call of `putWrites`. */
export async function encodePutWrites(
  { serde, sizeCheck }: CallEncoding,
  ...[config, writes, taskId, taskPath]: PutWritesArguments
): Promise<EncodedWrites> {
  const request = {
    ...parseWritesConfig(config),
    ...parseTask(taskId, taskPath),
    writes: parseWrites(writes),
  };
  const encoded = await encodeWrites(request, serde);
  sizeCheck?.check(encoded, () => sizeOfWrites(encoded));
  return encoded;
}
