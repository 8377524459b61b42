import { onAbort } from "../../db/async/on-abort.js";
import { abortErrorOf, orAborted } from "../../db/statements/bounded-run.js";
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
  #waiting: Waiting[] = [];

  /** @param connections - How many statements the database can run at once. */
  constructor(readTogether: ReadTogether, connections: number) {
    this.#readTogether = readTogether;
    this.#underWay = new StatementsUnderWay(connections, {
      areThere: () => this.#waiting.length > 0,
      onExpired: () => {
        this.#sendWaiting();
      },
    });
  }

  /**
   * Reads, alone or together with others.
   *
   * @throws AbortError as soon as the signal aborts.
   */
  async read(read: TupleRead): Promise<TupleRow[]> {
    if (this.#waiting.length === 0 && this.#underWay.maySend(1)) return this.#send(1, read.alone);
    const rows = new Promise<TupleRow[]>((resolve, reject) => {
      this.#waiting.push({ ...read, kind: kindOf(read), place: placeOf(read.key), resolve, reject });
    });
    this.#underWay.expireLater();
    this.#sendWaiting();
    return orAborted(rows, read.signal);
  }

  async #send<T>(reads: number, run: () => Promise<T>): Promise<T> {
    const statement = this.#underWay.add(reads);
    try {
      return await run();
    } finally {
      this.#underWay.delete(statement);
      this.#sendWaiting();
    }
  }

  #sendWaiting(): void {
    while (this.#waiting.length > 0 && this.#underWay.maySend(this.#waiting.length)) {
      const [first, ...others] = this.#takeGroup();
      if (first === undefined) return;
      if (others.length === 0) this.#sendAlone(first);
      else void this.#sendGroup([first, ...others], first.selection);
    }
  }

  /** Takes the first read that waits, and others of its kind. */
  #takeGroup(): Waiting[] {
    const waiting = this.#waiting;
    const group = new Map<string, Waiting>();
    this.#waiting = waiting.filter((read) => {
      const isTaken = group.size < MAX_READS && read.kind === waiting[0]?.kind && !group.has(read.place);
      if (isTaken) group.set(read.place, read);
      return !isTaken;
    });
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
