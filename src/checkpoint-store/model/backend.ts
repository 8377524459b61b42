import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { HealthFindings } from "../../health/health.js";
import type { ObservedCall } from "../../telemetry/observed-call.js";
import type {
  ReadRecord,
  RecordRange,
  RecordScope,
  RefusingRecord,
  SaveManyRules,
  SaveRules,
  StoredRecord,
} from "./stored-record.js";

/**
 * What belongs to one call of a backend.
 *
 * @experimental
 */
export interface BackendCall {
  /** Ends the call. It had not been aborted when the call began. */
  readonly signal?: AbortSignal | undefined;
  /** Counts retries and the rows that the database returns, where telemetry is active. The backend tells it of both. */
  readonly observer?: ObservedCall | undefined;
}

/**
 * What belongs to one call of {@link CheckpointBackend.setup}.
 *
 * @experimental
 */
export interface SetupCall extends BackendCall {
  /** How long to wait for locks of other sessions, in milliseconds. Default: as the backend decides. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * What belongs to one call of {@link CheckpointBackend.check}.
 *
 * @experimental
 */
export interface CheckCall extends BackendCall {
  /** Receives what the check finds out, also where it rejects: `health()` of the store returns it. */
  readonly findings: HealthFindings;
}

/**
 * Where a checkpoint store keeps its records. The store parses the arguments, and encodes and decodes states, so a backend only stores
 * texts. A backend retries its own transient faults, and throws the errors of this library.
 *
 * @example
 * ```ts
 * const store = new BackendCheckpointStore(new MyBackend());
 * ```
 *
 * @experimental
 */
export interface CheckpointBackend {
  /** The name of the database system, as OpenTelemetry spells it, such as `postgresql`. */
  readonly system: string;
  /** The most bytes of a state or of metadata, as JSON text. */
  readonly maxTextBytes: number;
  /** Returns the address of the database, as far as it is known without a connection. */
  address(): DatabaseAddress;
  /** Creates what the records need, and checks the connection. Any number of processes may call it at once. */
  setup(call: SetupCall): Promise<void>;
  /**
   * Inserts a record, or replaces the one with its id in every place where that is listed, all of it or nothing.
   *
   * @returns `undefined`, or the stored version where the rule `onlyNewer` refuses the record. Then nothing has changed.
   */
  save(record: StoredRecord, rules: SaveRules, call: BackendCall): Promise<number | undefined>;
  /**
   * Saves records as {@link save} does, all of them or none.
   *
   * @param records - They are sorted by their ids, of which no two are the same.
   * @returns `undefined`, or the first stored record where the rule `onlyNewer` refuses the one that would replace it. Then nothing has changed.
   */
  saveMany(
    records: readonly StoredRecord[],
    rules: SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined>;
  /** Checks whether records can be saved now, without changing any. It rejects where they can't. */
  check(call: CheckCall): Promise<void>;
  /** Returns a record, or `undefined` where there is none. */
  load(id: string, call: BackendCall): Promise<StoredRecord | undefined>;
  /** Returns the records of a scope, sorted. One that can't be read is an error in its place, or before the others. */
  list(scope: RecordScope, range: RecordRange, call: BackendCall): Promise<readonly ReadRecord[]>;
  /** Deletes a record. Returns whether there was one. */
  delete(id: string, call: BackendCall): Promise<boolean>;
  /** Deletes the records of a scope. Returns their number. */
  clear(scope: RecordScope, call: BackendCall): Promise<number>;
  /** Returns the number of all records. */
  count(call: BackendCall): Promise<number>;
  /**
   * Returns all records in pages, by the bytes of their ids. Records that are stored meanwhile may be missing. One that can't be read is an
   * error in its place.
   *
   * @param after - Begins after this id, or at the first one.
   */
  pages(after: string | undefined, call: BackendCall): AsyncIterable<readonly ReadRecord[]>;
  /** Closes what the backend opened. It may be called more than once. */
  close(): Promise<void>;
}
