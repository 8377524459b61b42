import { CorruptCheckpointError } from "../../errors/index.js";
import type { StoredRecord } from "../model/stored-record.js";
import type { RecordDialect } from "./record-dialect.js";

/** A row as the statements return it. */
export interface RecordRow {
  readonly id: string;
  readonly execution_id: string;
  readonly thread_id: string | null;
  readonly node_name: string;
  readonly state: string;
  readonly metadata: string | null;
  readonly timestamp: string;
  /** A number, unless a pool of the caller parses numbers in its own way. */
  readonly version: number | string | bigint;
}

/** The parameters that store a record. */
export interface RecordParams {
  readonly id: string;
  readonly executionId: string;
  readonly threadId: string | null;
  readonly nodeName: string;
  readonly state: string;
  readonly metadata: string | null;
  readonly timestamp: string;
  readonly version: number;
}

/** The JSON of no metadata, as programs of Go write it. */
const JSON_NULL = "null";

export function toParams(dialect: RecordDialect, record: StoredRecord): RecordParams {
  const { id, executionId, threadId = null, nodeName, state, metadata, timestamp, version } = record;
  return {
    id,
    executionId,
    threadId,
    nodeName,
    state,
    metadata: metadata ?? dialect.noMetadata,
    timestamp: dialect.timeText(timestamp),
    version,
  };
}

/** @throws CorruptCheckpointError for a row with a time or a version that is none. */
export function toRecord(dialect: RecordDialect, row: RecordRow): StoredRecord {
  const { id, execution_id: executionId, thread_id: threadId, node_name: nodeName, state, metadata } = row;
  const timestamp = dialect.parseTime(row.timestamp);
  const version = Number(row.version);
  if (!Number.isSafeInteger(version)) {
    throw new CorruptCheckpointError("its version is not a whole number", { checkpointId: id });
  }
  if (Number.isNaN(timestamp.getTime())) {
    throw new CorruptCheckpointError(`version ${version}: its timestamp is not a time`, { checkpointId: id });
  }
  // SQLite stores bytes in a column of texts as well.
  if (typeof (state as unknown) !== "string" || typeof (metadata ?? "") !== "string") {
    throw new CorruptCheckpointError(`version ${version}: its state or its metadata is not a text`, {
      checkpointId: id,
    });
  }
  return {
    id,
    executionId,
    threadId: threadId === null || threadId === "" ? undefined : threadId,
    nodeName,
    state,
    metadata: metadata === null || metadata === JSON_NULL ? undefined : metadata,
    timestamp,
    version,
  };
}
