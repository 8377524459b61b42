import type {
  AckEntry,
  FailEntry,
  IntentEntry,
  JournalEntry,
  PutRecord,
  WriteRecord,
} from "../journal/entry.js";

/** What is known of something: it must be there, it must not, or it may be there, but wholly. */
export type Certainty = "present" | "absent" | "unknown";

/** A checkpoint or a write that the load has tried to store. */
export interface Tracked<Item> {
  readonly item: Item;
  certainty: Certainty;
  /** The operation whose outcome is unknown: all that belongs to it is there, or nothing. */
  group: string;
}

/** What the journal says of one thread. */
export class ThreadHistory {
  readonly checkpoints = new Map<string, Tracked<PutRecord>>();
  readonly writes = new Map<string, Tracked<WriteRecord>>();
  readonly #writesOf = new Map<string, readonly Tracked<WriteRecord>[]>();
  /** The newest checkpoint that must be there. */
  newest: string | undefined;
  /** Whether it was, or may have been, deleted for good. */
  isAbandoned = false;

  /** The checkpoints that must be there, oldest first. */
  present(): PutRecord[] {
    return [...this.checkpoints.values()].filter(isPresent).map(({ item }) => item);
  }

  /** All writes that were tried beside one checkpoint. */
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
 * Turns the journal's lines, one after the other, into what must be in the database. The load uses it for what it may
 * expect of a read, and the checker for what it may expect in the end.
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
    // Until it is acknowledged it may be done at any time: nobody should put anything there.
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

/** What tells a write from all others of its thread. */
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
