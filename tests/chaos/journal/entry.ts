/** The checksum of each channel's value, by channel. */
export type Digests = Readonly<Record<string, string>>;

/** What a checkpoint was to become, all channels included that it has from its parent. */
export interface PutRecord {
  readonly id: string;
  readonly parent: string | null;
  readonly channels: Digests;
}

/** What one task was to write beside a checkpoint. */
export interface WriteRecord {
  readonly checkpoint: string;
  readonly task: string;
  readonly idx: number;
  readonly channel: string;
  readonly digest: string;
}

/** What the load does. */
export type OperationKind = "put" | "fork" | "putWrites" | "batch" | "getTuple" | "list" | "deleteThread";

/** What an operation would change. */
export interface Changes {
  readonly puts: readonly PutRecord[];
  readonly writes: readonly WriteRecord[];
  /** Whether the thread goes. */
  readonly deletes: boolean;
}

/** Written before a call. */
export interface IntentEntry extends Changes {
  readonly type: "intent";
  readonly at: number;
  /** Unlike that of any other operation of all processes. */
  readonly op: string;
  readonly kind: OperationKind;
  /** Whoever makes the calls of a thread, one after the other; it takes another thread when one is deleted. */
  readonly slot: number;
  readonly thread: string;
}

/** Written when the call has returned. */
export interface AckEntry {
  readonly type: "ack";
  readonly at: number;
  readonly op: string;
  /** How often it was tried, as far as that can be told from the connections that it took. */
  readonly attempts: number;
  /** Checkpoints that were read: whatever became of their own calls, they are there from now on. */
  readonly seen: readonly string[];
}

/** Written when the call has thrown: it may have done what it was to do. */
export interface FailEntry {
  readonly type: "fail";
  readonly at: number;
  readonly op: string;
  readonly error: string;
}

/** Written when a read returned what it must not return. */
export interface ViolationEntry {
  readonly type: "violation";
  readonly at: number;
  readonly op: string;
  readonly text: string;
}

/** What happened to a process of the load. */
export interface ProcessEntry {
  readonly type: "process";
  readonly at: number;
  readonly event: "started" | "stopped" | "unhandledRejection" | "uncaughtException";
  readonly detail: string;
}

/** One line of the journal. Times are milliseconds of `nowMs`. */
export type JournalEntry = IntentEntry | AckEntry | FailEntry | ViolationEntry | ProcessEntry;

/** The same without its time, which the journal knows. */
export type UntimedEntry = WithoutTime<JournalEntry>;
type WithoutTime<Entry> = Entry extends unknown ? Omit<Entry, "at"> : never;
