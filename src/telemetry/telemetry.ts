import { type Attributes, context, type Span, SpanKind, trace, type Tracer } from "@opentelemetry/api";
import { currentInstruments } from "./instruments.js";
import { currentTracer } from "./current-tracer.js";
import type { DatabaseAddress } from "./database-address.js";
import { describeError } from "./describe-error.js";
import type { LogFields } from "./log-fields.js";
import { type Logger, SafeLogger } from "./logger.js";
import { ObservedCall } from "./observed-call.js";

/** What telemetry is made of. */
export interface TelemetryOptions {
  readonly logger?: Logger | undefined;
  /** Where the database is; asked for once somebody watches. */
  readonly address: () => DatabaseAddress;
  /** Whether the ids of threads may be told, which may be personal. Default `true`. */
  readonly threadIds?: boolean | undefined;
}

/** Work that is observed, by its name and the table it is about where it is one. */
export interface ObservedOperation {
  readonly operation: string;
  /** The first of its tables. */
  readonly target: string;
  /** Whether there is no other. */
  readonly isOnlyTable?: boolean;
}

/** Tells those who watch a saver what it does: an OpenTelemetry SDK where one is registered, and a logger. */
export class Telemetry {
  readonly log: SafeLogger;
  readonly #addressOf: () => DatabaseAddress;
  readonly #tellsThread: boolean;
  #address: Attributes | undefined;
  readonly #told = new WeakSet<Error>();

  constructor({ logger, address, threadIds = true }: TelemetryOptions) {
    this.log = new SafeLogger(logger);
    this.#addressOf = address;
    this.#tellsThread = threadIds;
  }

  /**
   * Runs a call as one span, measured and logged. Where nobody watches it is run as it is: whether somebody does is all
   * that is looked at.
   *
   * @param run - Called at once; what it starts becomes a child of the span.
   */
  observe<T>(operation: ObservedOperation, run: (call: ObservedCall | undefined) => Promise<T>): Promise<T> {
    const tracer = currentTracer();
    const instruments = currentInstruments();
    if (tracer === undefined && instruments === undefined && !this.log.isHeard) return run(undefined);
    const attributes = this.#attributes(operation);
    const span = tracer && startSpan(tracer, attributes);
    const within = span === undefined ? context.active() : trace.setSpan(context.active(), span);
    const call = new ObservedCall(
      operation.operation,
      attributes,
      { log: this.log, span, instruments, context: within },
      { tellsThread: this.#tellsThread },
    );
    return finish(
      call,
      context.with(within, () => run(call)),
    );
  }

  /** Tells of a connection that died while nobody used it: the next call opens another. */
  connectionLost(error: unknown): void {
    if (!this.log.isHeard) return;
    this.log.write("warn", "an idle connection was lost", fieldsOf(error));
  }

  /** Tells of a thread's lock that was lost while somebody ran under it. */
  lockLost(threadId: string, cause: unknown): void {
    this.log.write("warn", "the lock of a thread was lost", {
      ...(this.#tellsThread && { threadId }),
      ...fieldsOf(cause),
    });
  }

  /** Tells that a watch is not told of anything for now; once for each loss, however many watches it had. */
  watchLost(threadId: string, failure: Error): void {
    if (this.#told.has(failure)) return;
    this.#told.add(failure);
    this.log.write("warn", "watches have lost their connection, connecting again", {
      ...(this.#tellsThread && { threadId }),
      ...fieldsOf(failure),
    });
  }

  /** Tells that a watch goes on. */
  watchResumed(threadId: string): void {
    this.log.write("info", "a watch goes on", { ...(this.#tellsThread && { threadId }) });
  }

  /** Tells of an error in a call whose span has ended already, as a value of a list that can't be read. */
  failedLater({ operation }: ObservedOperation, error: unknown): void {
    const description = describeError(error);
    currentInstruments()?.errors.add(1, { "db.operation.name": operation, "error.type": description.type });
    this.log.write("error", `${operation} failed`, {
      operation,
      code: description.type,
      error: description.message,
    });
  }

  #attributes({ operation, target, isOnlyTable = false }: ObservedOperation): Attributes {
    this.#address ??= addressAttributes(this.#addressOf());
    return {
      "db.system.name": "postgresql",
      ...this.#address,
      "db.operation.name": operation,
      "db.query.summary": `${operation} ${target}`,
      ...(isOnlyTable && { "db.collection.name": target }),
    };
  }
}

async function finish<T>(call: ObservedCall, running: Promise<T>): Promise<T> {
  try {
    const result = await running;
    call.end();
    return result;
  } catch (error) {
    call.fail(error);
    throw error;
  }
}

/** Given at once, so that samplers can go by them. */
function startSpan(tracer: Tracer, attributes: Attributes): Span {
  return tracer.startSpan(String(attributes["db.query.summary"]), { kind: SpanKind.CLIENT, attributes });
}

function addressAttributes({ host, port, database }: DatabaseAddress): Attributes {
  return {
    ...(host !== undefined && { "server.address": host }),
    ...(host !== undefined && port !== undefined && { "server.port": port }),
    ...(database !== undefined && { "db.namespace": database }),
  };
}

function fieldsOf(error: unknown): LogFields {
  const { type, sqlState } = describeError(error);
  return { code: type, ...(sqlState !== undefined && { sqlState }) };
}
