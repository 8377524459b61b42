import { AsyncResource } from "node:async_hooks";
import { noop } from "../async/noop.js";
import { onAbort } from "../async/on-abort.js";
import { abortErrorOf, orAborted } from "../statements/cancellation.js";
import { DatabaseError } from "../../errors/index.js";
import { ownError } from "../../errors/thrown.js";
import { outsideCalls, type CallProgress } from "../../telemetry/running-calls.js";
import type { ObservedCall } from "../../telemetry/observed-call.js";
import { StatementsUnderWay } from "./statements-under-way.js";

/** How many reads share a statement at most. With more, the first ones wait longer, and the server saves nothing. */
const MAX_READS = 16;

/** A read that can share a statement with others. */
export interface SharedRead<Row> {
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of rows that a shared statement has read for it. */
  readonly observer?: Pick<ObservedCall, "addRows"> | undefined;
  /** Told that it waits for others. */
  readonly progress?: CallProgress | undefined;
  /** Reads by itself. */
  readonly alone: () => Promise<Row[]>;
}

/** Which reads share a statement, and how it is sent. */
export interface ReadRules<Read extends SharedRead<Row>, Row> {
  /** How many reads are under way by themselves before further ones share statements. Default: by the number of connections. */
  readonly alone?: number;
  /** Only reads of the same kind share a statement. */
  readonly kindOf: (read: Read) => string;
  /** The reads of a statement differ in it. */
  readonly placeOf: (read: Read) => string;
  /**
   * Sends several reads of one kind together. Returns the rows of each by its place.
   *
   * @param signal - Aborts when nobody waits for any of them.
   */
  readonly readTogether: (reads: readonly Read[], signal: AbortSignal) => Promise<ReadonlyMap<string, Row[]>>;
}

/**
 * Shares statements among reads: while few are under way, each is sent at once. Further ones wait for a statement to end, and share
 * the next one. Each has its own result or error: where a statement fails, each of its reads is sent by itself.
 */
export class ReadGroups<Read extends SharedRead<Row>, Row> {
  readonly #rules: ReadRules<Read, Row>;
  readonly #underWay: StatementsUnderWay;
  /** In the order in which they were called. */
  readonly #waiting = new Set<Waiting<Read, Row>>();

  /** @param connections - How many statements the database can run at once. */
  constructor(rules: ReadRules<Read, Row>, connections: number) {
    this.#rules = rules;
    const sendWaiting = (): void => {
      this.#sendWaiting();
    };
    this.#underWay = new StatementsUnderWay(connections, sendWaiting, rules.alone);
  }

  /**
   * Reads, alone or together with others.
   *
   * @throws AbortError as soon as the signal aborts.
   */
  async read(read: Read): Promise<Row[]> {
    if (this.#waiting.size === 0 && this.#underWay.areFew) return this.#send(1, read.alone);
    read.progress?.waitsFor("turn");
    let leave = noop;
    const rows = new Promise<Row[]>((resolve, reject) => {
      const [kind, place] = [this.#rules.kindOf(read), this.#rules.placeOf(read)];
      const context = new AsyncResource("WaitingRead");
      const waiting = { read, kind, place, context, resolve, reject };
      this.#waiting.add(waiting);
      leave = () => {
        this.#waiting.delete(waiting);
      };
    });
    this.#underWay.sendSoon();
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
      else void outsideCalls(() => this.#sendGroup([first, ...others]));
    }
    if (this.#waiting.size > 0) this.#underWay.limitWait();
  }

  /** Takes the first read that waits, and others of its kind. */
  #takeGroup(): Waiting<Read, Row>[] {
    const group = new Map<string, Waiting<Read, Row>>();
    const [first] = this.#waiting;
    for (const waiting of this.#waiting) {
      if (group.size === MAX_READS) break;
      const { kind, place } = waiting;
      if (kind !== first?.kind || group.has(place)) continue;
      group.set(place, waiting);
      this.#waiting.delete(waiting);
    }
    return [...group.values()];
  }

  #sendAlone({ read, context, resolve, reject }: Waiting<Read, Row>): void {
    context.runInAsyncScope(() => this.#send(1, read.alone)).then(resolve, reject);
  }

  async #sendGroup(group: readonly Waiting<Read, Row>[]): Promise<void> {
    const reads = group.map(({ read }) => read);
    const { signal, stopListening } = whenAllAbort(reads.map((read) => read.signal));
    try {
      const rows = await this.#send(group.length, () => this.#rules.readTogether(reads, signal));
      for (const { read, place, resolve } of group) {
        const found = rows.get(place) ?? [];
        read.observer?.addRows(found.length);
        resolve(found);
      }
    } catch (error) {
      // It was retried already, for all of them.
      const isTransient = error instanceof DatabaseError && error.transient;
      for (const waiting of group) {
        if (isTransient) waiting.reject(ownError(error));
        else this.#sendAlone(waiting);
      }
    } finally {
      stopListening();
    }
  }
}

interface Waiting<Read, Row> {
  readonly read: Read;
  readonly kind: string;
  readonly place: string;
  /** The async context of the caller. The code of another call may send the read. */
  readonly context: AsyncResource;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
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
