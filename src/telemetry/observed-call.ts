import { type Attributes, type Context, type Span, SpanStatusCode } from "@opentelemetry/api";
import { AbortError, ConnectionError, ThreadLockedError } from "../errors/index.js";
import { describeError, type ErrorDescription, framesOf } from "./describe-error.js";
import type { Instruments } from "./instruments.js";
import type { LogFields } from "./log-fields.js";
import type { SafeLogger } from "./logger.js";

/** What a call is about, as far as it is known. */
export interface CallSubject {
  readonly threadId?: string | undefined;
  readonly checkpointNs?: string | undefined;
  readonly checkpointId?: string | undefined;
}

/** An attempt that is made again. */
export interface RetriedAttempt {
  /** What the attempt before failed with. */
  readonly failure: Error;
  /** Which attempt begins now; the second is the first that is made again. */
  readonly attempt: number;
  /** How long was waited, in milliseconds. */
  readonly delayMs: number;
}

/** Where a call is told to, as far as somebody listens. */
export interface CallListeners {
  readonly log: SafeLogger;
  readonly span: Span | undefined;
  readonly instruments: Instruments | undefined;
  /** The context of {@link span}, so that what is measured can name it. */
  readonly context: Context;
}

// A call that is made of others fails with the error of one of them.
const logged = /* @__PURE__ */ new WeakSet<object>();

/** A call of a saver that somebody watches, by spans, metrics or a log. */
export class ObservedCall {
  readonly #operation: string;
  readonly #attributes: Attributes;
  readonly #listeners: CallListeners;
  readonly #began = performance.now();
  readonly #tellsThread: boolean;
  #subject: CallSubject = {};
  #rows = 0;
  #bytes = 0;
  #retries = 0;

  /**
   * @param attributes - Those that spans and metrics share, of few different values.
   * @param tellsThread - Whether the ids of threads may be told.
   */
  constructor(
    operation: string,
    attributes: Attributes,
    listeners: CallListeners,
    { tellsThread }: { readonly tellsThread: boolean },
  ) {
    this.#operation = operation;
    this.#attributes = attributes;
    this.#listeners = listeners;
    this.#tellsThread = tellsThread;
  }

  /** Tells what the call is about, once that is known. */
  about({ threadId, checkpointNs, checkpointId }: CallSubject): void {
    this.#subject = { threadId: this.#tellsThread ? threadId : undefined, checkpointNs, checkpointId };
  }

  /** Counts rows that the database has sent. */
  addRows(count: number): void {
    this.#rows += count;
  }

  /** Counts bytes of headers and values that are stored or were read. */
  addBytes(count: number): void {
    this.#bytes += count;
  }

  /** Tells of an attempt that is made again. */
  retrying({ failure, attempt, delayMs }: RetriedAttempt): void {
    this.#retries++;
    const { log, span, instruments, context } = this.#listeners;
    const description = describeError(failure);
    const attributes = { ...this.#attributes, ...errorAttributes(description) };
    instruments?.retries.add(1, attributes, context);
    // Values of a list are read on when the span of their page has ended.
    if (span?.isRecording() === true) {
      span.addEvent("retry", {
        "langgraph.checkpoint.attempt": attempt,
        "langgraph.checkpoint.delay": delayMs / 1_000,
        ...errorAttributes(description),
      });
    }
    const message =
      failure instanceof ConnectionError
        ? "no connection to the database, trying again"
        : "the database refused for now, trying again";
    log.write("warn", message, { ...this.#fields(description), attempt, delayMs: Math.round(delayMs) });
  }

  /** The call has come to its end. */
  end(): void {
    this.#measure({});
    const { span } = this.#listeners;
    span?.setAttributes(this.#spanAttributes());
    span?.end();
  }

  /** The call has failed, or was refused the lock that it asked for, which is an ordinary answer and no error. */
  fail(error: unknown): void {
    const description = describeError(error);
    if (error instanceof ThreadLockedError) {
      this.#refuse(description);
      return;
    }
    const attributes = errorAttributes(description);
    this.#measure(attributes);
    const { span, instruments, context } = this.#listeners;
    instruments?.errors.add(1, { ...this.#attributes, ...attributes }, context);
    span?.setAttributes({ ...this.#spanAttributes(), ...attributes });
    span?.setStatus({ code: SpanStatusCode.ERROR, message: description.message });
    span?.recordException({ name: description.type, message: description.message, ...stackOf(error) });
    span?.end();
    this.logFailure(error, description);
  }

  #refuse(description: ErrorDescription): void {
    // No error.type: by the conventions it says that the operation has failed.
    const outcome = { "langgraph.checkpoint.outcome": description.type };
    this.#measure(outcome);
    const { span, log } = this.#listeners;
    span?.setAttributes({ ...this.#spanAttributes(), ...outcome });
    span?.end();
    log.write("info", `${this.#operation} was refused`, this.#endFields(description));
  }

  /** Writes down what the call failed with, where that has not been done. */
  logFailure(error: unknown, description = describeError(error)): void {
    if (typeof error === "object" && error !== null) {
      if (logged.has(error)) return;
      logged.add(error);
    }
    const level = error instanceof AbortError ? "debug" : "error";
    this.#listeners.log.write(level, `${this.#operation} failed`, this.#endFields(description));
  }

  #endFields(description: ErrorDescription): LogFields {
    return {
      ...this.#fields(description),
      ...(this.#retries > 0 && { retries: this.#retries }),
      durationMs: Math.round(performance.now() - this.#began),
    };
  }

  /** @param ending - How the call has ended, where it did not succeed. */
  #measure(ending: Attributes): void {
    const { instruments, context } = this.#listeners;
    if (instruments === undefined) return;
    const attributes = { ...this.#attributes, ...ending };
    instruments.duration.record((performance.now() - this.#began) / 1_000, attributes, context);
    instruments.returnedRows.record(this.#rows, attributes, context);
    instruments.bytes.record(this.#bytes, attributes, context);
  }

  #spanAttributes(): Attributes {
    const { threadId, checkpointNs, checkpointId } = this.#subject;
    return {
      ...(threadId !== undefined && { "langgraph.thread_id": threadId }),
      ...(checkpointNs !== undefined && { "langgraph.checkpoint_ns": checkpointNs }),
      ...(checkpointId !== undefined && { "langgraph.checkpoint_id": checkpointId }),
      "langgraph.checkpoint.bytes": this.#bytes,
      "langgraph.checkpoint.retries": this.#retries,
      "db.response.returned_rows": this.#rows,
    };
  }

  #fields({ type, sqlState, message }: ErrorDescription): LogFields {
    const { threadId, checkpointNs, checkpointId } = this.#subject;
    const known = { threadId, checkpointNs, checkpointId, code: type, sqlState, error: message };
    const given = Object.entries(known).filter(([, value]) => value !== undefined);
    return { operation: this.#operation, ...Object.fromEntries(given) };
  }
}

function errorAttributes({ type, sqlState }: ErrorDescription): Attributes {
  return {
    // The conventions ask for the SQLSTATE where there is one; our codes say the rest.
    "error.type": sqlState ?? type,
    ...(sqlState !== undefined && { "db.response.status_code": sqlState }),
  };
}

function stackOf(error: unknown): { stack?: string } {
  const stack = framesOf(error);
  return stack === undefined ? {} : { stack };
}
