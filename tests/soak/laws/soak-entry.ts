/** What a user does: one run of the graph, or one call that moves a thread. */
export type ActionKind = "turn" | "archive" | "restore" | "delete";

/** Recorded before an action. */
export interface BeganEntry {
  readonly type: "began";
  /** Unique over all processes. A turn adds it to the state of its thread. */
  readonly action: string;
  readonly kind: ActionKind;
  readonly user: number;
  readonly thread: string;
  /** How it is done, for the report: the durability of a run. */
  readonly how: string;
  /** Whether it is the user's last turn. */
  readonly isLast: boolean;
}

/** Recorded when an action has succeeded, or failed. */
export interface SettledEntry {
  readonly type: "done" | "failed" | "cancelled";
  readonly action: string;
  readonly error?: string;
}

/** Recorded when the store has acknowledged an item. */
export interface ItemEntry {
  readonly type: "item";
  readonly user: number;
  /** Items of a user are numbered, and all but the newest are deleted. */
  readonly number: number;
}

/** Recorded when something was read that can't be. */
export interface ViolationEntry {
  readonly type: "violation";
  readonly text: string;
}

/** The heap of a process after a collection, in bytes. */
export interface MemoryEntry {
  readonly type: "memory";
  readonly process: string;
  readonly bytes: number;
}

/** One line of the journal of a process, before the journal adds its time. */
export type UntimedSoakEntry = BeganEntry | SettledEntry | ItemEntry | ViolationEntry | MemoryEntry;

/** One line of the journal of a process. `at` is a time of `nowMs`. */
export type SoakEntry = UntimedSoakEntry & { readonly at: number };
