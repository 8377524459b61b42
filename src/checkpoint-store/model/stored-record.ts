import { CorruptCheckpointError } from "../../errors/index.js";

/**
 * A checkpoint as a backend stores it: what it is found and sorted by, and its state and metadata as JSON text.
 *
 * @experimental
 */
export interface StoredRecord {
  readonly id: string;
  /** `metadata.execution_id`, or `""` where there is none. */
  readonly executionId: string;
  /** `metadata.thread_id`, or `undefined` where there is none. */
  readonly threadId: string | undefined;
  readonly nodeName: string;
  /** JSON text. */
  readonly state: string;
  /** The JSON text of an object, or `undefined` where there is none. */
  readonly metadata: string | undefined;
  /** Milliseconds are kept. */
  readonly timestamp: Date;
  /** A whole number from 0 to 2³¹ − 1. */
  readonly version: number;
}

/**
 * All records of an execution, or all of a thread. The id is never empty.
 *
 * @experimental
 */
export interface RecordScope {
  readonly by: "execution" | "thread";
  readonly id: string;
}

/**
 * Which records of a scope to return. Their order is that of {@link compareRecords}.
 *
 * @experimental
 */
export interface RecordRange {
  /** The largest number of records. `undefined`: all. */
  readonly limit: number | undefined;
  /** `desc` returns the newest first. */
  readonly order: "asc" | "desc";
}

/**
 * What a save does besides storing the record.
 *
 * @experimental
 */
export interface SaveRules {
  /** Whether to refuse a record whose version is not larger than that of the stored one. An equal record is stored again. */
  readonly onlyNewer: boolean;
  /** How many records of the scope to keep. Of all others but the saved one, the oldest are deleted. `undefined`: all. */
  readonly keepLast: { readonly scope: RecordScope; readonly count: number } | undefined;
}

/**
 * What a save of many records does besides storing them.
 *
 * @experimental
 */
export interface SaveManyRules {
  /** As {@link SaveRules} has it, for each record. One that is refused refuses all. */
  readonly onlyNewer: boolean;
  /**
   * How many records to keep of each scope that a saved record is listed first in, as {@link scopesOf} returns them, once all are saved. Of the
   * saved records of a scope, the newest is never deleted. `undefined`: all.
   */
  readonly keepLast: number | undefined;
}

/**
 * The record that has refused another one by the rule `onlyNewer`.
 *
 * @experimental
 */
export interface RefusingRecord {
  readonly id: string;
  /** The stored version. */
  readonly version: number;
}

/**
 * A record as it was read: itself, or the error that says why it can't be read. The error names its id.
 *
 * @experimental
 */
export type ReadRecord = StoredRecord | CorruptCheckpointError;

/**
 * Returns where a record is listed.
 *
 * @experimental
 */
export function scopesOf({ executionId, threadId }: StoredRecord): RecordScope[] {
  const execution: RecordScope[] = executionId === "" ? [] : [{ by: "execution", id: executionId }];
  return threadId === undefined ? execution : [...execution, { by: "thread", id: threadId }];
}

/**
 * Whether two records store the same.
 *
 * @experimental
 */
export function isSameRecord(one: StoredRecord, other: StoredRecord): boolean {
  return (
    one.id === other.id &&
    one.nodeName === other.nodeName &&
    one.version === other.version &&
    one.timestamp.getTime() === other.timestamp.getTime() &&
    one.state === other.state &&
    one.metadata === other.metadata
  );
}

/**
 * The order of a list: by time, then by version, then by the bytes of the id. No two records are equal in it.
 *
 * @experimental
 */
export function compareRecords(one: StoredRecord, other: StoredRecord): number {
  return (
    one.timestamp.getTime() - other.timestamp.getTime() ||
    one.version - other.version ||
    Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))
  );
}

/**
 * Returns the newest record of each scope that one of them is listed first in.
 *
 * @experimental
 */
export function newestOfScopes(
  records: readonly StoredRecord[],
): { readonly scope: RecordScope; readonly saved: string }[] {
  const newest = new Map<string, { readonly scope: RecordScope; readonly record: StoredRecord }>();
  for (const record of records) {
    const [scope] = scopesOf(record);
    if (scope === undefined) continue;
    const key = JSON.stringify(scope);
    const other = newest.get(key);
    if (other === undefined || compareRecords(record, other.record) > 0) newest.set(key, { scope, record });
  }
  // In the same order in every call, so that no two wait for each other's locks.
  const sorted = [...newest].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, { scope, record }]) => ({ scope, saved: record.id }));
}

/**
 * Calls a function that reads a record, and returns the error that says why it can't be read.
 *
 * @throws What else the function throws.
 */
export function readRecord<Read>(read: () => Read): Read | CorruptCheckpointError {
  try {
    return read();
  } catch (error) {
    if (error instanceof CorruptCheckpointError) return error;
    throw error;
  }
}

/** Whether a record is listed by a scope. */
export function isListedBy({ by, id }: RecordScope, record: StoredRecord): boolean {
  return scopesOf(record).some((scope) => scope.by === by && scope.id === id);
}

/** A deletion of the oldest records of a scope. */
export interface Trim {
  readonly scope: RecordScope;
  /** The id of the record that is never deleted. */
  readonly saved: string;
  /** How many records remain. */
  readonly keep: number;
}

/** Returns the deletions that belong to a save of records. */
export function trimsOf(
  records: readonly StoredRecord[],
  keepLast: SaveRules["keepLast"] | SaveManyRules["keepLast"],
): Trim[] {
  if (keepLast === undefined) return [];
  if (typeof keepLast === "number")
    return newestOfScopes(records).map((newest) => ({ ...newest, keep: keepLast }));
  return records.map(({ id }) => ({ scope: keepLast.scope, saved: id, keep: keepLast.count }));
}

/** Returns ids in the order of their bytes, from the first one behind another. */
export function idsBehind(after: string | undefined, ids: Iterable<string>): string[] {
  const start = after === undefined ? undefined : Buffer.from(after);
  return Array.from(ids, (id) => ({ id, bytes: Buffer.from(id) }))
    .filter(({ bytes }) => start === undefined || Buffer.compare(bytes, start) > 0)
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
    .map(({ id }) => id);
}
