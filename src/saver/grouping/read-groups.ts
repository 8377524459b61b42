import { noop } from "../../db/async/noop.js";
import { onAbort } from "../../db/async/on-abort.js";
import { abortErrorOf, orAborted } from "../../db/statements/cancellation.js";
import { DatabaseError } from "../../errors/index.js";
import { groupBy } from "../model/group-by.js";
import { rowKey } from "../model/row-key.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import type { TupleKey } from "../queries/get-tuple-rows.js";
import type { PageRow, TupleRow } from "../queries/tuple-row.js";
import type { ObservedCall } from "../../telemetry/observed-call.js";
import { StatementsUnderWay } from "./statements-under-way.js";

/** How many reads share a statement at most. With more, the first ones wait longer, and the server saves nothing. */
const MAX_READS = 16;

/** A read of the rows of one tuple. */
export interface TupleRead {
  readonly key: TupleKey;
  readonly selection: TupleSelection;
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of rows that a shared statement has read for it. */
  readonly observer?: Pick<ObservedCall, "addRows"> | undefined;
  /** Reads by itself. */
  readonly alone: () => Promise<TupleRow[]>;
}

/**
 * Reads several tuples in one statement.
 *
 * @param keys - In namespaces that differ. Either all of them name a checkpoint, or none.
 * @param signal - Aborts when nobody waits for any of them.
 */
export type ReadTogether = (
  keys: readonly TupleKey[],
  selection: TupleSelection,
  signal: AbortSignal,
) => Promise<PageRow[]>;

/**
 * Shares statements among reads: while few are under way, each is sent at once. Further ones wait for a statement to end, and share
 * the next one. Each has its own result or error: where a statement fails, each of its reads is sent by itself.
 */
export class ReadGroups {
  readonly #readTogether: ReadTogether;
  readonly #underWay: StatementsUnderWay;
  /** In the order in which they were called. */
  readonly #waiting = new Set<Waiting>();

  /** @param connections - How many statements the database can run at once. */
  constructor(readTogether: ReadTogether, connections: number) {
    this.#readTogether = readTogether;
    this.#underWay = new StatementsUnderWay(connections, () => {
      this.#sendWaiting();
    });
  }

  /**
   * Reads, alone or together with others.
   *
   * @throws AbortError as soon as the signal aborts.
   */
  async read(read: TupleRead): Promise<TupleRow[]> {
    if (this.#waiting.size === 0 && this.#underWay.maySend(1)) return this.#send(1, read.alone);
    let leave = noop;
    const rows = new Promise<TupleRow[]>((resolve, reject) => {
      const waiting = { ...read, kind: kindOf(read), place: placeOf(read.key), resolve, reject };
      this.#waiting.add(waiting);
      leave = () => {
        this.#waiting.delete(waiting);
      };
    });
    this.#sendWaiting();
    try {
      return await orAborted(rows, read.signal);
    } finally {
      leave();
    }
  }

  async #send<T>(reads: number, run: () => Promise<T>): Promise<T> {
    const end = this.#underWay.begin(reads);
    try {
      return await run();
    } finally {
      end();
      this.#sendWaiting();
    }
  }

  #sendWaiting(): void {
    while (this.#waiting.size > 0 && this.#underWay.maySend(this.#waiting.size)) {
      const [first, ...others] = this.#takeGroup();
      if (first === undefined) break;
      if (others.length === 0) this.#sendAlone(first);
      else void this.#sendGroup([first, ...others], first.selection);
    }
    if (this.#waiting.size > 0) this.#underWay.expireLater();
  }

  /** Takes the first read that waits, and others of its kind. */
  #takeGroup(): Waiting[] {
    const group = new Map<string, Waiting>();
    const [first] = this.#waiting;
    for (const read of this.#waiting) {
      if (group.size === MAX_READS) break;
      if (read.kind !== first?.kind || group.has(read.place)) continue;
      group.set(read.place, read);
      this.#waiting.delete(read);
    }
    return [...group.values()];
  }

  #sendAlone({ alone, resolve, reject }: Waiting): void {
    this.#send(1, alone).then(resolve, reject);
  }

  async #sendGroup(group: readonly Waiting[], selection: TupleSelection): Promise<void> {
    const { signal, stopListening } = whenAllAbort(group.map((read) => read.signal));
    const keys = group.map(({ key }) => key);
    try {
      const rows = await this.#send(group.length, () => this.#readTogether(keys, selection, signal));
      const byPlace = groupBy(rows, (row) => rowKey(row.thread_id, row.checkpoint_ns));
      for (const { place, observer, resolve } of group) {
        const found = (byPlace.get(place) ?? []).map(({ row }) => row);
        observer?.addRows(found.length);
        resolve(found);
      }
    } catch (error) {
      // It was retried already, for all of them.
      const isTransient = error instanceof DatabaseError && error.transient;
      for (const read of group) {
        if (isTransient) read.reject(error);
        else this.#sendAlone(read);
      }
    } finally {
      stopListening();
    }
  }
}

interface Waiting extends TupleRead {
  /** Only reads of the same kind share a statement. */
  readonly kind: string;
  /** The reads of a statement differ in it. */
  readonly place: string;
  readonly resolve: (rows: TupleRow[]) => void;
  readonly reject: (error: unknown) => void;
}

function kindOf({ selection, key }: TupleRead): string {
  return JSON.stringify([selection, key.checkpointId === undefined]);
}

function placeOf({ threadId, checkpointNs }: TupleKey): string {
  return rowKey(threadId, checkpointNs);
}

/** Returns a signal that aborts as soon as all of the given ones have. An absent one never aborts. */
function whenAllAbort(signals: readonly (AbortSignal | undefined)[]) {
  const controller = new AbortController();
  const stops = signals.map((signal) =>
    onAbort(signal, () => {
      if (signals.every((one) => one?.aborted === true)) controller.abort(abortErrorOf(signal));
    }),
  );
  const stopListening = (): void => {
    for (const stop of stops) stop();
  };
  return { signal: controller.signal, stopListening };
}
