import { CorruptCheckpointError, DeserializationError } from "../../errors/index.js";
import { endOfString } from "../../serde/json/scalars.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../serde/json/json-value.js";
import { parseJsonData, jsonTextOf } from "../../serde/json/json-text.js";
import { compareRecords, type StoredRecord } from "../model/stored-record.js";

/** A record, and its time more precisely than a Date has it: langgraphgo writes nanoseconds. */
export interface RedisRecord {
  readonly record: StoredRecord;
  /** What the Date leaves out, from 0 to 999,999. */
  readonly nanoseconds: number;
}

/** Writes a record as JSON text, with the fields and the order of langgraphgo. */
export function encodeRecord(record: StoredRecord): string {
  const { id, nodeName, state, timestamp, version } = record;
  return (
    `{"id":${JSON.stringify(id)},"node_name":${JSON.stringify(nodeName)},"state":${state},` +
    `"metadata":${listedMetadata(record)},"timestamp":"${timestamp.toISOString()}","version":${version}}`
  );
}

/** What metadata begins with that is no plain JSON, such as an object without a prototype: its ids are not among its fields. */
const TAGGED = '{"lc":2,"type":"constructor","id":["Object"],';

/** Adds the ids by which a record is listed to tagged metadata, since scripts and langgraphgo read them there. */
function listedMetadata({ metadata = "null", executionId, threadId }: StoredRecord): string {
  if (!metadata.startsWith(TAGGED)) return metadata;
  return metadata.slice(0, -1) + endOfTagged(executionId, threadId);
}

function endOfTagged(executionId: string, threadId: string | undefined): string {
  const execution = executionId === "" ? "" : `,"execution_id":${JSON.stringify(executionId)}`;
  const thread = threadId === undefined ? "" : `,"thread_id":${JSON.stringify(threadId)}`;
  return `${execution}${thread}}`;
}

function withoutListed(metadata: string, executionId: string, threadId: string | undefined): string {
  const end = endOfTagged(executionId, threadId);
  return metadata.startsWith(TAGGED) && metadata.endsWith(end)
    ? `${metadata.slice(0, -end.length)}}`
    : metadata;
}

/**
 * Reads a record that this library or langgraphgo has written. It cuts the state out of the text, so that every digit of it stays, and
 * nothing is parsed twice.
 *
 * @throws CorruptCheckpointError for a text that is no record of that id.
 */
export function decodeRecordText(text: string, id: string): RedisRecord {
  const fields = cutFields(text, id) ?? parseFields(text, id);
  if (fields === undefined) {
    throw new CorruptCheckpointError("it is no record of this id", { checkpointId: id });
  }
  const { nodeName, state, metadata, metadataText, version } = fields;
  const time = parseTime(fields.timestamp);
  if (time === undefined) {
    throw new CorruptCheckpointError(`version ${version}: its timestamp is none`, { checkpointId: id });
  }
  const { execution_id, thread_id } = isJsonObject(metadata) ? metadata : {};
  const executionId = typeof execution_id === "string" ? execution_id : "";
  const threadId = typeof thread_id === "string" && thread_id !== "" ? thread_id : undefined;
  const record = {
    id,
    executionId,
    threadId,
    nodeName,
    state,
    metadata: metadata === null ? undefined : withoutListed(metadataText, executionId, threadId),
    timestamp: new Date(time.milliseconds),
    version,
  };
  return { record, nanoseconds: time.nanoseconds };
}

/** The order of a list, by the nanosecond. */
export function compareRedisRecords(one: RedisRecord, other: RedisRecord): number {
  return (
    one.record.timestamp.getTime() - other.record.timestamp.getTime() ||
    one.nanoseconds - other.nanoseconds ||
    compareRecords(one.record, other.record)
  );
}

interface Fields {
  readonly nodeName: string;
  readonly state: string;
  readonly metadata: JsonValue;
  readonly metadataText: string;
  readonly timestamp: string;
  readonly version: number;
}

const STATE = ',"state":';
const END = /,"timestamp":"([^"\\]*)","version":(\d{1,15})\}$/;
const MAX_END = 120;
const METADATA = ',"metadata":';
/** How many keys of the name `metadata` to try from the end, as the scripts do. */
const MAX_TRIES = 8;

/**
 * Cuts a text with exactly the fields of langgraphgo, in its order. What follows the key `metadata` is JSON only where that key is one of
 * the record itself: inside the state or the metadata, a bracket would have no partner.
 */
function cutFields(text: string, id: string): Fields | undefined {
  const head = `{"id":${JSON.stringify(id)},"node_name":`;
  const end = END.exec(text.slice(-MAX_END));
  if (end === null || !text.startsWith(head)) return undefined;
  const nameEnd = endOfString(text, head.length);
  const nodeName = parsed(text.slice(head.length, nameEnd));
  if (typeof nodeName !== "string" || !text.startsWith(STATE, nameEnd)) return undefined;
  const stateAt = nameEnd + STATE.length;
  const [{ length }, timestamp = "", version] = end;
  const endAt = text.length - length;
  let at = text.lastIndexOf(METADATA, endAt);
  for (let tries = 0; at >= stateAt && tries < MAX_TRIES; tries += 1) {
    const metadataText = text.slice(at + METADATA.length, endAt);
    const metadata = parsed(metadataText);
    if (metadata !== undefined) {
      return {
        nodeName,
        state: text.slice(stateAt, at),
        metadata,
        metadataText,
        timestamp,
        version: Number(version),
      };
    }
    at = text.lastIndexOf(METADATA, at - 1);
  }
  return undefined;
}

/** Reads any other text that has the fields. */
function parseFields(text: string, checkpointId: string): Fields | undefined {
  const json = parsedRecord(text, checkpointId);
  if (!isJsonObject(json)) return undefined;
  const { id, node_name: nodeName, state, metadata = null, timestamp, version } = json;
  const isRecord =
    id === checkpointId &&
    typeof nodeName === "string" &&
    typeof timestamp === "string" &&
    typeof version === "number" &&
    Number.isSafeInteger(version) &&
    state !== undefined;
  if (!isRecord) return undefined;
  return {
    nodeName,
    state: jsonTextOf(state),
    metadata,
    metadataText: jsonTextOf(metadata),
    timestamp,
    version,
  };
}

function parsedRecord(text: string, checkpointId: string): JsonValue | JsonObject {
  try {
    return parseJsonData(text, "jsonb");
  } catch (cause) {
    if (!(cause instanceof DeserializationError)) throw cause;
    throw new CorruptCheckpointError("it is no record", { cause, checkpointId });
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-]\d\d:\d\d))$/;

function parseTime(text: string): { milliseconds: number; nanoseconds: number } | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, day = "", time = "", fraction = "", offset = "Z"] = parts;
  const digits = fraction.slice(0, 9).padEnd(9, "0");
  const milliseconds = Date.parse(`${day}T${time}.${digits.slice(0, 3)}${offset}`);
  return Number.isNaN(milliseconds) ? undefined : { milliseconds, nanoseconds: Number(digits.slice(3)) };
}
