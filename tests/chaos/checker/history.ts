import type {
  AckEntry,
  FailEntry,
  IntentEntry,
  JournalEntry,
  PutRecord,
  WriteRecord,
} from "../journal/entry.js";

/** Whether something must exist, must not exist, or may exist as a whole. */
export type Certainty = "present" | "absent" | "unknown";

/** A checkpoint or a write that the load has tried to store. */
export interface Tracked<Item> {
  readonly item: Item;
  certainty: Certainty;
  /** The operation with the unknown outcome: either all of its rows exist, or none. */
  group: string;
}

/** The history of one thread, from the journal. */
export class ThreadHistory {
  readonly checkpoints = new Map<string, Tracked<PutRecord>>();
  readonly writes = new Map<string, Tracked<WriteRecord>>();
  readonly #writesOf = new Map<string, readonly Tracked<WriteRecord>[]>();
  /** The newest checkpoint that must exist. */
  newest: string | undefined;
  /** Whether a deletion without an acknowledgement may still take effect. */
  isAbandoned = false;

  /** The checkpoints that must exist, oldest first. */
  present(): PutRecord[] {
    return [...this.checkpoints.values()].filter(isPresent).map(({ item }) => item);
  }

  /** All writes of a checkpoint that the load has tried to store. */
  writesOf(checkpoint: string): readonly Tracked<WriteRecord>[] {
    return this.#writesOf.get(checkpoint) ?? [];
  }

  track({ op, puts, writes }: IntentEntry): void {
    for (const item of puts) this.checkpoints.set(item.id, { item, certainty: "unknown", group: op });
    for (const item of writes) {
      const tracked: Tracked<WriteRecord> = { item, certainty: "unknown", group: op };
      this.writes.set(writeKey(item), tracked);
      this.#writesOf.set(item.checkpoint, [...this.writesOf(item.checkpoint), tracked]);
    }
  }

  *all(): Generator<Tracked<PutRecord> | Tracked<WriteRecord>> {
    yield* this.checkpoints.values();
    yield* this.writes.values();
  }
}

/**
 * Computes from the journal's entries what the database must contain. The load checks its reads with it, and the checker the
 * final state.
 */
export class History {
  readonly threads = new Map<string, ThreadHistory>();
  /** The thread that each slot used last. */
  readonly slots = new Map<number, string>();
  readonly #open = new Map<string, IntentEntry>();

  static of(entries: Iterable<JournalEntry>): History {
    const history = new History();
    for (const entry of entries) history.apply(entry);
    return history;
  }

  thread(id: string): ThreadHistory {
    const known = this.threads.get(id) ?? new ThreadHistory();
    this.threads.set(id, known);
    return known;
  }

  apply(entry: JournalEntry): void {
    if (entry.type === "intent") this.#intend(entry);
    else if (entry.type === "ack") this.#acknowledge(entry);
    else if (entry.type === "fail") this.#fail(entry);
  }

  #intend(intent: IntentEntry): void {
    const { op, deletes } = intent;
    const thread = this.thread(intent.thread);
    this.slots.set(intent.slot, intent.thread);
    this.#open.set(op, intent);
    thread.track(intent);
    if (!deletes) return;
    // Until the deletion is acknowledged it may take effect at any time, so the load must not put into this thread.
    thread.isAbandoned = true;
    thread.newest = undefined;
    for (const tracked of thread.all()) {
      if (isPresent(tracked)) Object.assign(tracked, { certainty: "unknown", group: op });
    }
  }

  #acknowledge({ op, seen }: AckEntry): void {
    const intent = this.#open.get(op);
    if (intent === undefined) return;
    this.#open.delete(op);
    const thread = this.thread(intent.thread);
    if (intent.deletes) confirmDeletion(thread, op);
    for (const write of intent.writes) settle(thread.writes.get(writeKey(write)), "present");
    for (const id of [...intent.puts.map((put) => put.id), ...seen]) confirm(thread, id);
  }

  #fail({ op }: FailEntry): void {
    this.#open.delete(op);
  }
}

/** Identifies a write within its thread. */
export function writeKey({
  checkpoint,
  task,
  idx,
}: Pick<WriteRecord, "checkpoint" | "task" | "idx">): string {
  return `${checkpoint} ${task} ${idx}`;
}

function confirmDeletion(thread: ThreadHistory, op: string): void {
  thread.isAbandoned = false;
  for (const tracked of thread.all()) {
    if (tracked.group === op) tracked.certainty = "absent";
  }
}

function confirm(thread: ThreadHistory, id: string): void {
  settle(thread.checkpoints.get(id), "present");
  if (thread.newest === undefined || id > thread.newest) thread.newest = id;
}

function settle(tracked: Tracked<unknown> | undefined, certainty: Certainty): void {
  if (tracked?.certainty === "unknown") tracked.certainty = certainty;
}

function isPresent({ certainty }: Tracked<unknown>): boolean {
  return certainty === "present";
}
