import { type CheckpointTuple, MemorySaver } from "@langchain/langgraph-checkpoint";
import { collect } from "../../test-support/checkpoints.js";
import { bytewise } from "./bytewise.js";
import { type Place, placeOf } from "./place.js";

/** A namespace of a thread. */
export interface Namespace {
  readonly thread: string;
  readonly ns: string;
}

/** How many rows a namespace has. */
export interface RowNumbers {
  readonly checkpoints: number;
  readonly writes: number;
  readonly blobs: number;
}

export const NO_ROWS: RowNumbers = { checkpoints: 0, writes: 0, blobs: 0 };

/** The stored rows: LangGraph's `MemorySaver`, and beside it what that one doesn't store. */
export class ReferenceRows {
  readonly memory = new MemorySaver();
  /**
   * The value of each version in an array, which is empty for a version without a value. The key is {@link keyOf} of thread,
   * namespace, channel and version.
   */
  readonly values = new Map<string, readonly unknown[]>();
  /** The key is {@link keyOf} of thread, namespace, checkpoint and `MemorySaver`'s key of the write. */
  readonly taskPaths = new Map<string, string>();
  readonly #takesBlob: (value: unknown) => boolean;

  /** @param takesBlob - Whether a value is stored in its own row. */
  constructor(takesBlob: (value: unknown) => boolean) {
    this.#takesBlob = takesBlob;
  }

  /** The checkpoints of one thread or of all, newest first, without values. */
  async tuples(thread?: string, ns?: string): Promise<CheckpointTuple[]> {
    const configurable = { ...(thread !== undefined && { thread_id: thread }), checkpoint_ns: ns };
    const tuples = await collect(this.memory.list({ configurable }));
    return tuples.sort((a, b) => bytewise(orderOf(b), orderOf(a)));
  }

  /** The ids of checkpoints of a namespace that have writes, whether the checkpoints are stored or not. */
  writtenTo({ thread, ns }: Namespace): string[] {
    return Object.keys(this.memory.writes)
      .map(partsOf)
      .flatMap(([threadId, checkpointNs, id = ""]) =>
        threadId === thread && checkpointNs === ns ? [id] : [],
      );
  }

  /** Sorts the writes of a checkpoint, and sets their task paths in `MemorySaver`, by which later versions sort themselves. */
  sortWrites(key: string): void {
    const pathOf = (row: string) => this.taskPaths.get(keyOf(...partsOf(key), row)) ?? "";
    const rowOrder = (row: string) => {
      const comma = row.lastIndexOf(",");
      return [pathOf(row), row.slice(0, comma), Number(row.slice(comma + 1))];
    };
    const rows = Object.entries(this.memory.writes[key] ?? {});
    rows.sort(([a], [b]) => bytewise(rowOrder(a), rowOrder(b)));
    this.memory.writes[key] = Object.fromEntries(
      rows.map(([row, [task, channel, value]]) => [row, [task, channel, value, pathOf(row)]]),
    );
  }

  drop({ thread_id, checkpoint_ns, checkpoint_id = "" }: Place): void {
    const rest = Object.entries(this.memory.storage[thread_id]?.[checkpoint_ns] ?? {}).filter(
      ([id]) => id !== checkpoint_id,
    );
    const namespaces = this.memory.storage[thread_id];
    if (namespaces !== undefined) namespaces[checkpoint_ns] = Object.fromEntries(rest);
    this.#forgetWrites((key) => key === keyOf(thread_id, checkpoint_ns, checkpoint_id));
  }

  async dropThread(thread: string): Promise<void> {
    await this.memory.deleteThread(thread);
    for (const key of this.values.keys()) if (partsOf(key)[0] === thread) this.values.delete(key);
    this.#forgetWrites((key) => partsOf(key)[0] === thread);
  }

  /** Deletes the values of a namespace that no checkpoint references. */
  async sweep({ thread, ns }: Namespace): Promise<void> {
    const used = new Set<string>();
    for (const { checkpoint } of await this.tuples(thread, ns)) {
      for (const [channel, version] of Object.entries(checkpoint.channel_versions))
        used.add(keyOf(thread, ns, channel, version));
    }
    for (const key of this.values.keys()) {
      const [threadId, checkpointNs] = partsOf(key);
      if (threadId === thread && checkpointNs === ns && !used.has(key)) this.values.delete(key);
    }
  }

  /** The row counts of each thread or namespace with rows. The key is {@link keyOf} of the thread, and of the namespace. */
  async count(unit: "thread" | "namespace" = "namespace"): Promise<ReadonlyMap<string, RowNumbers>> {
    const numbers = new Map<string, RowNumbers>();
    const add = (place: readonly (string | undefined)[], more: Partial<RowNumbers>): void => {
      const key = keyOf(...place.slice(0, unit === "thread" ? 1 : 2));
      numbers.set(key, sum(numbers.get(key) ?? NO_ROWS, more));
    };
    for (const { config } of await this.tuples()) {
      const { thread_id, checkpoint_ns } = placeOf(config);
      add([thread_id, checkpoint_ns], { checkpoints: 1 });
    }
    for (const [key, writes] of Object.entries(this.memory.writes)) {
      const number = Object.keys(writes).length;
      if (number > 0) add(partsOf(key), { writes: number });
    }
    for (const [key, value] of this.values) {
      if (value.length === 0 || value.some(this.#takesBlob)) add(partsOf(key), { blobs: 1 });
    }
    return numbers;
  }

  #forgetWrites(isDeleted: (key: string) => boolean): void {
    const { writes } = this.memory;
    this.memory.writes = Object.fromEntries(Object.entries(writes).filter(([key]) => !isDeleted(key)));
    for (const row of this.taskPaths.keys()) {
      const [thread, ns, id] = partsOf(row);
      if (isDeleted(keyOf(thread, ns, id))) this.taskPaths.delete(row);
    }
  }
}

export function sum(a: RowNumbers, b: Partial<RowNumbers>): RowNumbers {
  return {
    checkpoints: a.checkpoints + (b.checkpoints ?? 0),
    writes: a.writes + (b.writes ?? 0),
    blobs: a.blobs + (b.blobs ?? 0),
  };
}

/** Makes a key like `MemorySaver`. */
export function keyOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

export function partsOf(key: string): string[] {
  // `keyOf` has made it.
  return JSON.parse(key) as string[];
}

function orderOf({ config }: CheckpointTuple): readonly string[] {
  const { thread_id, checkpoint_ns, checkpoint_id = "" } = placeOf(config);
  return [checkpoint_id, thread_id, checkpoint_ns];
}
