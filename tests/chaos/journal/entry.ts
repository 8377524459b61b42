/** The checksum of each channel's value. */
export type Digests = Readonly<Record<string, string>>;

/** A checkpoint to put, including the channels that it carries over from its parent. */
export interface PutRecord {
  readonly id: string;
  readonly parent: string | null;
  readonly channels: Digests;
}

/** A pending write to store. */
export interface WriteRecord {
  readonly checkpoint: string;
  readonly task: string;
  readonly idx: number;
  readonly channel: string;
  readonly digest: string;
}

/** The calls of the load. */
export type OperationKind =
  | "put"
  | "fork"
  | "putWrites"
  | "batch"
  | "getTuple"
  | "list"
  | "deleteThread"
  | "expand"
  | "compact";

/** The changes of an operation. */
export interface Changes {
  readonly puts: readonly PutRecord[];
  readonly writes: readonly WriteRecord[];
  /** Whether it deletes the thread. */
  readonly deletes: boolean;
}

/** Recorded before a call. */
export interface IntentEntry extends Changes {
  readonly type: "intent";
  readonly at: number;
  /** Unique over the operations of all processes. */
  readonly op: string;
  readonly kind: OperationKind;
  /** The slot that makes the calls of a thread one after another. It takes another thread when one is deleted. */
  readonly slot: number;
  readonly thread: string;
}

/** Recorded when the call has returned. */
export interface AckEntry {
  readonly type: "ack";
  readonly at: number;
  readonly op: string;
  /** How many attempts it took, estimated by the connections that it used. */
  readonly attempts: number;
  /** Checkpoints that were read. From now on they must exist, whatever the outcome of their own calls. */
  readonly seen: readonly string[];
}

/** Recorded when the call has thrown. It may still have taken effect. */
export interface FailEntry {
  readonly type: "fail";
  readonly at: number;
  readonly op: string;
  readonly error: string;
}

/** Recorded when a read returned a wrong result. */
export interface ViolationEntry {
  readonly type: "violation";
  readonly at: number;
  readonly op: string;
  readonly text: string;
}

/** An event of a process of the load. */
export interface ProcessEntry {
  readonly type: "process";
  readonly at: number;
  readonly event: "started" | "stopped" | "unhandledRejection" | "uncaughtException";
  readonly detail: string;
}

/** One line of the journal. Times are milliseconds of `nowMs`. */
export type JournalEntry = IntentEntry | AckEntry | FailEntry | ViolationEntry | ProcessEntry;

/** An entry without its time, which the journal adds. */
export type UntimedEntry = WithoutTime<JournalEntry>;
type WithoutTime<Entry> = Entry extends unknown ? Omit<Entry, "at"> : never;
