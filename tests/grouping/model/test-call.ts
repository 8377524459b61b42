import { AbortError, StatementTimeoutError } from "../../../src/errors/index.js";

/** What a call of the model is like. */
export interface CallShape {
  readonly threadId: string;
  readonly kind: "put" | "putWrites" | "deleteThread";
  /** Whether it stores too much to share a statement. A deletion stores nothing. */
  readonly isLarge: boolean;
  readonly hasSignal: boolean;
}

/** A call of the model, and what has become of it. */
export class TestCall {
  readonly number: number;
  readonly shape: CallShape;
  /** Settles when the test says that the call is encoded, or can't be. */
  readonly encoding: Promise<void>;
  encode: () => void = () => undefined;
  failToEncode: () => void = () => undefined;
  /** Since when it is encoded and waits. */
  waitsSince: number | undefined;
  isUnderWay = false;
  isStored = false;
  /** Whether a group has not stored it. It must then be sent by itself. */
  isAlone = false;
  /** Whether a statement of its own has found its rows locked. */
  hasFoundLock = false;
  /** Why its encoding or its last statement failed. */
  failure: unknown;
  #outcome: { readonly error?: unknown } | undefined;
  readonly #controller: AbortController | undefined;

  constructor(number: number, shape: CallShape) {
    this.number = number;
    this.shape = shape;
    this.#controller = shape.hasSignal ? new AbortController() : undefined;
    this.encoding = new Promise((resolve, reject) => {
      this.encode = resolve;
      this.failToEncode = () => {
        const failure = new Error("can't be encoded");
        this.failure = failure;
        reject(failure);
      };
    });
  }

  get signal(): AbortSignal | undefined {
    return this.#controller?.signal;
  }

  get isAborted(): boolean {
    return this.signal?.aborted === true;
  }

  get mayShare(): boolean {
    const { kind, isLarge } = this.shape;
    return (!isLarge || kind === "deleteThread") && this.signal === undefined;
  }

  /** Whether its caller has the result or an error. */
  get isSettled(): boolean {
    return this.#outcome !== undefined;
  }

  abort(): void {
    this.#controller?.abort();
  }

  /** Records what its caller gets. */
  follow(stored: Promise<unknown>): void {
    stored.then(
      () => {
        this.#outcome = {};
      },
      (error: unknown) => {
        this.#outcome = { error };
      },
    );
  }

  /** Whether its caller knows what has happened: it was stored, or it has an error of its own. */
  get hasRightOutcome(): boolean {
    if (this.#outcome === undefined) return !this.isStored;
    const { error } = this.#outcome;
    if (error === undefined) return this.isStored;
    if (this.isStored) return false;
    if (error instanceof AbortError) return this.isAborted;
    return error instanceof StatementTimeoutError || error === this.failure;
  }
}
