import { CorruptCheckpointError, DeserializationError } from "../../errors/index.js";
import { CheckpointSchemaError } from "../../errors/checkpoint-store-errors.js";
import { decodeJsonb } from "../../serde/jsonb/decode-jsonb.js";
import { isPlainObject } from "../../serde/plain-object.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import type { StandardSchema } from "../../parsing/standard-schema.js";
import type { ExecutionCheckpoint } from "../model/execution-checkpoint.js";
import type { StoredRecord } from "../model/stored-record.js";
import { decodeState } from "./state-text.js";

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
