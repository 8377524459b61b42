import { noop } from "../../../src/db/async/noop.js";
import {
  AbortError,
  ConnectionError,
  DatabaseError,
  StatementTimeoutError,
} from "../../../src/errors/index.js";
import type { SendBounds } from "../../../src/db/grouping/lock-waits.js";
import type { TestCall } from "./test-call.js";

/** How a statement ends. */
export const STATEMENT_ENDS = [
  "it stores all",
  "it stores every second call",
  "it is refused",
  "it loses its connection",
  "it takes too long",
  "it finds a lock",
] as const;

export type StatementEnd = (typeof STATEMENT_ENDS)[number];

/** A statement that ends when the test says so. */
export class FakeStatement {
  readonly calls: readonly TestCall[];
  readonly bounds: SendBounds;
  /** Whether each of the calls was stored. */
  readonly outcome: Promise<boolean[]>;
  #resolve: (areStored: boolean[]) => void = noop;
  #reject: (error: Error) => void = noop;

  constructor(calls: readonly TestCall[], bounds: SendBounds) {
    this.calls = calls;
    this.bounds = bounds;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends as told. A statement that was cancelled may still store everything, and can't end in another way. */
  end(end: StatementEnd): void {
    const isGroup = this.calls.length > 1;
    for (const call of this.calls) call.isAlone ||= isGroup;
    if (end === "it stores all") this.#store(() => true);
    else if (this.bounds.signal?.aborted === true) this.#fail(new AbortError());
    else if (end === "it stores every second call" && isGroup) this.#store((index) => index % 2 === 1);
    else if (end === "it loses its connection") this.#fail(new ConnectionError("lost"));
    else if (end === "it takes too long") this.#fail(new StatementTimeoutError(1));
    else if (end === "it finds a lock" && (isGroup || this.bounds.lockTimeoutMs !== undefined))
      this.#findLock();
    else this.#fail(new DatabaseError("refused"));
  }

  #findLock(): void {
    for (const call of this.calls) call.hasFoundLock = this.calls.length === 1;
    this.#fail(new DatabaseError("locked", { sqlState: "55P03" }));
  }

  #store(isStored: (index: number) => boolean): void {
    const areStored = this.calls.map((_call, index) => isStored(index));
    for (const [index, call] of this.calls.entries()) call.isStored = areStored[index] === true;
    this.#resolve(areStored);
  }

  #fail(error: Error): void {
    for (const call of this.calls) call.failure = error;
    this.#reject(error);
  }
}
