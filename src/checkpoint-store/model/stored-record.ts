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
