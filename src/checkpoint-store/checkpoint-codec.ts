import {
  CheckpointTooLargeError,
  SerializationError,
  CorruptCheckpointError,
  DeserializationError,
  CheckpointError,
} from "../errors/index.js";
import { guardRead, isPlainObject } from "../serde/objects/inspect-object.js";
import { encodeJsonb, withPlainNumbers, decodeJsonb } from "../serde/json/jsonb.js";
import { jsonTextOf, parseJsonText } from "../serde/json/json-text.js";
import type { ContextualSerializer, ItemContext } from "../serde/serde-context.js";
import { parseListedId, type ParsedCheckpoint } from "./parse-execution-checkpoint.js";
import type { StoredRecord } from "./model/stored-record.js";
import { CheckpointSchemaError } from "../errors/checkpoint-store-errors.js";
import type { StandardSchema } from "../parsing/parse.js";
import type { ExecutionCheckpoint } from "./model/execution-checkpoint.js";

/** How many bytes a checkpoint may have. */
interface SizeLimits {
  /** The most bytes of state and metadata together, as the options have it. */
  readonly maxCheckpointBytes: number;
  /** The most bytes of each of them, as the database has it. */
  readonly maxTextBytes: number;
}

/** What encodes the checkpoints of a store. */
export interface CheckpointCodec extends SizeLimits {
  /** Encodes the states. `undefined`: they are JSON. */
  readonly serde: ContextualSerializer | undefined;
}

/**
 * Encodes a checkpoint. It reads the checkpoint before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws InvalidConfigError for an id in the metadata that no database can search for.
 * @throws SerializationError naming the path of a part that would not be read back equal.
 * @throws CheckpointTooLargeError for one with too many bytes.
 */
export async function encodeExecutionCheckpoint(
  codec: CheckpointCodec,
  { id, nodeName, state, metadata, timestamp, version }: ParsedCheckpoint,
): Promise<StoredRecord> {
  try {
    const listed = guardRead(
      () => ({
        executionId: parseListedId(metadata?.execution_id, "execution_id") ?? "",
        threadId: parseListedId(metadata?.thread_id, "thread_id"),
      }),
      {},
      "metadata",
    );
    const metadataText = metadata
      ? withPlainNumbers(jsonTextOf(encodeJsonb(metadata, "metadata"), "metadata"))
      : undefined;
    const stateText = await encodeState(state, id, codec.serde);
    checkSize(codec, id, stateText, metadataText);
    return { id, ...listed, nodeName, state: stateText, metadata: metadataText, timestamp, version };
  } catch (error) {
    throw error instanceof SerializationError ? error.at({ checkpointId: id }) : error;
  }
}

/** @throws CheckpointTooLargeError for a checkpoint with too many bytes. */
export function checkSize(codec: SizeLimits, id: string, state: string, metadata = ""): void {
  const { maxCheckpointBytes, maxTextBytes } = codec;
  const stateBytes = Buffer.byteLength(state);
  const metadataBytes = Buffer.byteLength(metadata);
  const bytes = stateBytes + metadataBytes;
  const limit = Math.max(stateBytes, metadataBytes) > maxTextBytes ? maxTextBytes : maxCheckpointBytes;
  if (bytes <= limit) return;
  throw new CheckpointTooLargeError(
    `checkpoint "${id}" has ${bytes} bytes (state ${stateBytes}, metadata ${metadataBytes}), the limit is ${limit}`,
    { bytes, maxBytes: limit, checkpointId: id },
  );
}

/** What decodes the records of a store. */
export interface RecordDecoder {
  readonly serde: ContextualSerializer | undefined;
  /** Checks the states. `undefined`: no check. */
  readonly stateSchema: StandardSchema | undefined;
}

/**
 * Decodes a record. The checkpoint shares nothing with other ones.
 *
 * @throws DeserializationError, CorruptCheckpointError for a record that can't be read. They name its id.
 * @throws CheckpointSchemaError for a state that does not fit the schema.
 */
export async function decodeRecord(
  { serde, stateSchema }: RecordDecoder,
  record: StoredRecord,
): Promise<ExecutionCheckpoint> {
  const { id, nodeName, version } = record;
  try {
    const metadata =
      record.metadata === undefined ? null : await decodeMetadata(record.metadata, id, version);
    const state = await decodeState(record.state, id, serde);
    const checked = await checkedState(stateSchema, state, id);
    // A backend in memory keeps the record, and a caller may change the Date.
    return { id, nodeName, state: checked, metadata, timestamp: new Date(record.timestamp), version };
  } catch (error) {
    throw namingVersion(error, id, version);
  }
}

async function decodeMetadata(
  text: string,
  checkpointId: string,
  version: number,
): Promise<Record<string, unknown> | null> {
  const metadata = await decodeJsonb(text, {});
  if (metadata === null) return null;
  if (typeof metadata === "object" && isPlainObject(metadata)) return metadata;
  throw new CorruptCheckpointError(`version ${version}: its metadata is not an object`, { checkpointId });
}

function namingVersion(error: unknown, checkpointId: string, version: number): unknown {
  if (!(error instanceof DeserializationError)) return error;
  const { problem, typeTag, cause } = error;
  return new DeserializationError(`version ${version}: ${problem}`, { checkpointId, typeTag, cause });
}

async function checkedState(
  schema: StandardSchema | undefined,
  state: unknown,
  id: string,
): Promise<unknown> {
  if (schema === undefined) return state;
  const result = await schema["~standard"].validate(state);
  if (result.issues !== undefined) throw new CheckpointSchemaError(id, result.issues);
  return result.value;
}

/** The only key of a stored state that a serializer has encoded. Its value is the type tag, and the bytes as base64. */
const SEALED = "lc_serde";

/**
 * Encodes a state as JSON text. It reads the state before it first awaits, so that a later change by the caller is not stored.
 *
 * @throws SerializationError naming the path of a part that would not be read back equal.
 */
function encodeState(
  state: unknown,
  id: string,
  serde: ContextualSerializer | undefined,
): string | Promise<string> {
  if (serde !== undefined) return seal(state, id, serde);
  if (guardRead(() => isSealed(state), {}, "state")) {
    throw new SerializationError("state", `the key "${SEALED}" is reserved`);
  }
  return withPlainNumbers(jsonTextOf(encodeJsonb(state, "state"), "state"));
}

async function seal(state: unknown, id: string, serde: ContextualSerializer): Promise<string> {
  try {
    const [type, bytes] = await serde.dumpsTyped(state, contextOf(id));
    return JSON.stringify({ [SEALED]: [type, Buffer.from(bytes).toString("base64")] });
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new SerializationError("state", "the serializer failed", { cause });
  }
}

/**
 * Decodes a state.
 *
 * @throws DeserializationError for a state that can't be read, that needs a serializer that the store does not have, or that is not
 *   encrypted although the serializer requires it.
 */
async function decodeState(
  text: string,
  id: string,
  serde: ContextualSerializer | undefined,
): Promise<unknown> {
  const stored: unknown = await parseJsonText(text, "jsonb");
  if (!isSealed(stored)) {
    if (serde?.refusesPlaintext !== true) return stored;
    throw new DeserializationError("the state is not encrypted", { typeTag: "jsonb" });
  }
  const sealed: unknown = Reflect.get(stored, SEALED);
  const [type, base64] = Array.isArray(sealed) ? (sealed as unknown[]) : [];
  if (typeof type !== "string" || typeof base64 !== "string") {
    throw new DeserializationError(`the key "${SEALED}" holds no encoded state`, { typeTag: "jsonb" });
  }
  if (serde === undefined) {
    throw new DeserializationError("the state needs the serializer that stored it: pass it as `serde`", {
      typeTag: type,
    });
  }
  return unseal(serde, type, base64, id);
}

async function unseal(
  serde: ContextualSerializer,
  type: string,
  base64: string,
  id: string,
): Promise<unknown> {
  try {
    return await serde.loadsTyped(type, Buffer.from(base64, "base64"), contextOf(id));
  } catch (cause) {
    if (cause instanceof CheckpointError) throw cause;
    throw new DeserializationError("the serializer failed", { cause, typeTag: type });
  }
}

function isSealed(state: unknown): state is object {
  return typeof state === "object" && state !== null && Object.hasOwn(state, SEALED);
}

/** The place of a state as serializers know it, to which encryption binds it. No store of items has this namespace. */
function contextOf(id: string): ItemContext {
  return { namespace: ["__execution_checkpoint__"], key: id };
}
