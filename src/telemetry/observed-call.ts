import {
  context as contexts,
  type Context,
  type Histogram,
  type Span,
  SpanStatusCode,
} from "@opentelemetry/api";
import { AbortError, ConnectionError, ThreadLockedError } from "../errors/index.js";
import { describeError, type ErrorDescription, framesOf } from "./describe-error.js";
import type { CallInstruments } from "./instruments.js";
import type { LogFields, SafeLogger } from "./logger.js";
import type { CallSubject, RunningCall } from "./running-calls.js";
import type { SpanAttributes } from "./span-attributes.js";

/** A retry. */
export interface RetriedAttempt {
  /** The error of the previous attempt. */
  readonly failure: Error;
  /** The number of this attempt. The first retry is attempt 2. */
  readonly attempt: number;
  /** The pause before it, in milliseconds. */
  readonly delayMs: number;
}

/** Where a call is reported. */
interface CallListeners {
  readonly log: SafeLogger;
  readonly span: Span | undefined;
  readonly instruments: CallInstruments | undefined;
  /** The context of {@link span}, which metrics refer to. */
  readonly context: Context;
}

// A call that consists of other calls fails with the error of one of them.
const logged = new WeakSet<object>();

/** Whether an error is to be logged, which each is once. The next question about it is answered with `false`. */
export function isFirstLog(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return true;
  if (logged.has(error)) return false;
  logged.add(error);
  return true;
}

/** A call of a saver that is observed by spans, metrics or a log. */
export class ObservedCall {
  readonly #running: RunningCall;
  readonly #attributes: SpanAttributes;
  readonly #listeners: CallListeners;
  readonly #began = performance.now();
  #rows = 0;
  #bytes = 0;
  #retries = 0;

  /**
   * @param attributes - The attributes of both spans and metrics, of low cardinality.
   *
   * @internal
   */
  constructor(running: RunningCall, attributes: SpanAttributes, listeners: CallListeners) {
    this.#running = running;
    this.#attributes = attributes;
    this.#listeners = listeners;
    listeners.instruments?.pending.add(1, attributes, listeners.context);
  }

  /**
   * Sets what the call is about, once that is known.
   *
   * @internal
   */
  about(subject: CallSubject): void {
    this.#running.about(subject);
  }

  /** Counts rows that the database has sent. */
  addRows(count: number): void {
    this.#rows += count;
  }

  /**
   * Counts bytes of headers and values that were stored or read.
   *
   * @internal
   */
  addBytes(count: number): void {
    this.#bytes += count;
  }

  /** Reports a retry. */
  retrying({ failure, attempt, delayMs }: RetriedAttempt): void {
    this.#retries++;
    const { log, instruments, context } = this.#listeners;
    const description = describeError(failure);
    const attributes = { ...this.#attributes, ...errorAttributes(description) };
    instruments?.retries.add(1, attributes, context);
    this.addEvent("retry", {
      "langgraph.checkpoint.attempt": attempt,
      "langgraph.checkpoint.delay": delayMs / 1_000,
      ...errorAttributes(description),
    });
    const message =
      failure instanceof ConnectionError
        ? "no connection to the database, trying again"
        : "transient database error, trying again";
    log.write("warn", message, { ...this.#fields(description), attempt, delayMs: Math.round(delayMs) });
  }

  /**
   * Adds an event to the span of the call.
   *
   * @internal
   */
  addEvent(name: string, attributes: SpanAttributes): void {
    const { span } = this.#listeners;
    // The values of a list may be read after the span of their page has ended.
    if (span?.isRecording() === true) span.addEvent(name, attributes);
  }

  /**
   * Records a value of the call in a metric.
   *
   * @internal
   */
  record(histogram: Histogram | undefined, value: number): void {
    histogram?.record(value, this.#attributes, this.#listeners.context);
  }

  /**
   * Logs a warning about the call.
   *
   * @internal
   */
  warn(message: string, fields: LogFields): void {
    const known = givenFields({ ...this.#running.subject, ...fields });
    this.#listeners.log.write("warn", message, { operation: this.#running.operation.name, ...known });
  }

  /**
   * Runs the call, and ends its span with it.
   *
   * @param work - Called at once. Spans that it starts become children of the call's span.
   *
   * @internal
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    try {
      const result = await contexts.with(this.#listeners.context, work);
      this.#end();
      return result;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #end(): void {
    this.#measure({});
    const { span } = this.#listeners;
    span?.setAttributes(this.#spanAttributes());
    span?.end();
  }

  /** Ends a call that failed, or that did not get a lock, which is an expected answer and no error. */
  #fail(error: unknown): void {
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
    this.#logFailure(error, description);
  }

  #refuse(description: ErrorDescription): void {
    // No error.type: by the conventions it means that the operation has failed.
    const outcome = { "langgraph.checkpoint.outcome": description.type };
    this.#measure(outcome);
    const { span, log } = this.#listeners;
    span?.setAttributes({ ...this.#spanAttributes(), ...outcome });
    span?.end();
    log.write("info", `${this.#running.operation.name} was refused`, this.#endFields(description));
  }

  /** Logs the error of the call, unless it has been logged. */
  #logFailure(error: unknown, description: ErrorDescription): void {
    if (!isFirstLog(error)) return;
    const level = error instanceof AbortError ? "debug" : "error";
    this.#listeners.log.write(level, `${this.#running.operation.name} failed`, this.#endFields(description));
  }

  #endFields(description: ErrorDescription): LogFields {
    return {
      ...this.#fields(description),
      ...(this.#retries > 0 && { retries: this.#retries }),
      durationMs: Math.round(performance.now() - this.#began),
    };
  }

  /** @param outcome - The attributes of a call that did not succeed. */
  #measure(outcome: SpanAttributes): void {
    const { instruments, context } = this.#listeners;
    if (instruments === undefined) return;
    instruments.pending.add(-1, this.#attributes, context);
    const attributes = { ...this.#attributes, ...outcome };
    instruments.duration.record((performance.now() - this.#began) / 1_000, attributes, context);
    instruments.returnedRows.record(this.#rows, attributes, context);
    instruments.bytes.record(this.#bytes, attributes, context);
  }

  #spanAttributes(): SpanAttributes {
    const { threadId, checkpointNs, checkpointId } = this.#running.subject;
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
    const { threadId, checkpointNs, checkpointId } = this.#running.subject;
    const known = { threadId, checkpointNs, checkpointId, code: type, sqlState, error: message };
    return { operation: this.#running.operation.name, ...givenFields(known) };
  }
}

/** Returns the fields that have a value. */
export function givenFields(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function errorAttributes({ type, sqlState }: ErrorDescription): SpanAttributes {
  return {
    // The conventions require the SQLSTATE where there is one. Otherwise the error's code is more specific.
    "error.type": sqlState ?? type,
    ...(sqlState !== undefined && { "db.response.status_code": sqlState }),
  };
}

function stackOf(error: unknown): { stack?: string } {
  const stack = framesOf(error);
  return stack === undefined ? {} : { stack };
}
