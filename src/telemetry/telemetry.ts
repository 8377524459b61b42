import {
  type Attributes,
  context,
  type Span,
  SpanKind,
  trace,
  type Tracer,
  type TracerProvider,
} from "@opentelemetry/api";
import { currentInstruments } from "./instruments.js";
import type { DatabaseAddress } from "./database-address.js";
import { CheckpointError } from "../errors/index.js";
import { describeError, framesOf } from "./describe-error.js";
import { type LogFields, type Logger, SafeLogger } from "./logger.js";
import { isFirstLog, ObservedCall } from "./observed-call.js";
import { reportRound, type RoundReport } from "./round-report.js";
import { SCOPE } from "./scope.js";

/** Options of {@link Telemetry}. */
export interface TelemetryOptions {
  readonly logger?: Logger | undefined;
  /** Returns the address of the database. Called when a call is first observed. */
  readonly address: () => DatabaseAddress;
  /** Whether thread ids, which may be personal data, are reported. Default `true`. */
  readonly threadIds?: boolean | undefined;
  /** The name of the database system, as OpenTelemetry spells it. Default `postgresql`. */
  readonly system?: string | undefined;
}

/** An operation that is observed, and the table that it uses. */
export interface ObservedOperation {
  readonly operation: string;
  /** The first of its tables. */
  readonly target: string;
  /** Whether it uses no other table. */
  readonly isOnlyTable?: boolean;
}

/** The state of a replica. */
export interface ReplicaReport {
  /** Why it is left aside. */
  readonly fault?: string | undefined;
  /** How far it is behind, in milliseconds. */
  readonly lagMs?: number | undefined;
  readonly error?: Error | undefined;
}

/** Reports what a saver does to an OpenTelemetry SDK, where one is registered, and to a logger. */
export class Telemetry {
  readonly log: SafeLogger;
  readonly #addressOf: () => DatabaseAddress;
  readonly #showsThreadIds: boolean;
  readonly #system: string;
  #address: Attributes | undefined;
  readonly #reportedLosses = new WeakSet<Error>();
  #hasReportedHiddenLag = false;

  constructor({ logger, address, threadIds = true, system = "postgresql" }: TelemetryOptions) {
    this.#system = system;
    this.log = new SafeLogger(logger);
    this.#addressOf = address;
    this.#showsThreadIds = threadIds;
  }

  /**
   * Runs a call as one span, with metrics and log. Without an SDK and a logger it only calls `run`.
   *
   * @param run - Called at once. Spans that it starts become children of the span.
   */
  observe<T>(operation: ObservedOperation, run: (call: ObservedCall | undefined) => Promise<T>): Promise<T> {
    const tracer = currentTracer();
    const instruments = currentInstruments();
    if (tracer === undefined && instruments === undefined && !this.log.isEnabled) return run(undefined);
    const attributes = this.#attributes(operation);
    const span = tracer && startSpan(tracer, attributes);
    const callContext = span === undefined ? context.active() : trace.setSpan(context.active(), span);
    const call = new ObservedCall(
      operation.operation,
      attributes,
      { log: this.log, span, instruments, context: callContext },
      { showsThreadIds: this.#showsThreadIds },
    );
    return finish(
      call,
      context.with(callContext, () => run(call)),
    );
  }

  /** Reports an idle connection that died. The next call opens another one. */
  connectionLost(error: unknown): void {
    if (!this.log.isEnabled) return;
    this.log.write("warn", "an idle connection was lost", fieldsOf(error));
  }

  /** Reports a value that was compared with a remembered one, or could not be. */
  looked(found: boolean): void {
    currentInstruments()?.spliceLookups.add(1, { "langgraph.checkpoint.outcome": found ? "hit" : "miss" });
  }

  /** Reports that the remembered values take more bytes, or less if negative. */
  resized(bytes: number): void {
    currentInstruments()?.spliceMemory.add(bytes);
  }

  /** Counts entries of a cache by what has become of them. */
  countedEntries(outcome: string, entries: number): void {
    currentInstruments()?.cacheEntries.add(entries, { "langgraph.checkpoint.outcome": outcome });
  }

  /** Counts a statement that may read a replica, by where it went. */
  countedStaleRead(outcome: string): void {
    currentInstruments()?.staleReads.add(1, { "langgraph.checkpoint.outcome": outcome });
  }

  /** Reports that reads go to the primary from now on. */
  replicaLeft({ fault, lagMs, error }: ReplicaReport): void {
    if (!this.log.isEnabled) return;
    this.log.write("warn", "the replica is left aside", {
      fault,
      ...(lagMs !== undefined && { lagMs: Math.round(lagMs) }),
      ...(error !== undefined && { ...fieldsOf(error), error: describeError(error).message }),
    });
  }

  /** Reports that reads go to the replica again. */
  replicaReturned({ lagMs }: ReplicaReport): void {
    this.log.write("info", "the replica is used again", {
      ...(lagMs !== undefined && { lagMs: Math.round(lagMs) }),
    });
  }

  /** Reports a round of work that runs by itself. */
  roundEnded(report: RoundReport): void {
    reportRound(this.log, report);
  }

  /** Reports that such work waits for a replica, or continues. */
  roundLagged(task: string, state: "behind" | "caught up", lagMs: number): void {
    const fields = { operation: task, lagMs: Math.round(lagMs) };
    if (state === "behind") this.log.write("warn", `${task} pauses: a replica is behind`, fields);
    else this.log.write("info", `${task} continues: the replicas have caught up`, fields);
  }

  /** Reports, once, that the role may not see how far replicas are behind. */
  lagHidden(): void {
    if (this.#hasReportedHiddenLag) return;
    this.#hasReportedHiddenLag = true;
    this.log.write("warn", "the lag of replicas is hidden: grant the role pg_monitor", {});
  }

  /** Reports an entry of a cache that could not be used, which fails no call. */
  entryLost(message: string, error: unknown): void {
    if (!this.log.isEnabled) return;
    this.log.write("warn", message, { ...fieldsOf(error), error: describeError(error).message });
  }

  /** Reports a thread's lock that was lost while a run held it. */
  lockLost(threadId: string, cause: unknown): void {
    this.log.write("warn", "the lock of a thread was lost", {
      ...this.#threadField(threadId),
      ...fieldsOf(cause),
    });
  }

  /**
   * Reports that watches receive no notifications for now. Once for each loss, however many watches it
   * affects.
   */
  watchLost(failure: Error, threadId?: string): void {
    if (this.#reportedLosses.has(failure)) return;
    this.#reportedLosses.add(failure);
    this.log.write("warn", "watches lost their connection, reconnecting", {
      ...this.#threadField(threadId),
      ...fieldsOf(failure),
    });
  }

  /** Reports that a watch has resumed. */
  watchResumed(threadId?: string): void {
    this.log.write("info", "watch resumed", this.#threadField(threadId));
  }

  /** Reports an error of a call whose span has already ended, as for an unreadable value of a list. */
  failedLater({ operation }: ObservedOperation, error: unknown): void {
    const description = describeError(error);
    currentInstruments()?.errors.add(1, { "db.operation.name": operation, "error.type": description.type });
    this.log.write("error", `${operation} failed`, {
      operation,
      code: description.type,
      error: description.message,
    });
  }

  /** Reports an error outside of the calls that are observed, unless it has been logged. */
  failedBeside(message: string, error: unknown): void {
    if (!this.log.isEnabled || !isFirstLog(error)) return;
    const { message: text, ...described } = describeError(error);
    const stack = error instanceof CheckpointError ? undefined : framesOf(error);
    this.log.write("error", message, {
      ...{ code: described.type, error: text },
      ...(described.sqlState !== undefined && { sqlState: described.sqlState }),
      ...(stack !== undefined && { stack }),
    });
  }

  #threadField(threadId: string | undefined): LogFields {
    return this.#showsThreadIds && threadId !== undefined ? { threadId } : {};
  }

  #attributes({ operation, target, isOnlyTable = false }: ObservedOperation): Attributes {
    this.#address ??= addressAttributes(this.#addressOf());
    return {
      "db.system.name": this.#system,
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

/** Sets the attributes on creation, so that samplers can use them. */
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

/** The API's provider, which delegates to one that may be registered later. */
interface DelegatingProvider extends TracerProvider {
  getDelegateTracer(name: string, version?: string): Tracer | undefined;
}

/**
 * The tracer of the registered SDK; `undefined` where none is registered. Every call asks again: a cached
 * tracer would miss an SDK that another copy of the API registers after the saver was created.
 */
function currentTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider();
  return isProxy(provider)
    ? provider.getDelegateTracer(SCOPE.name, SCOPE.version)
    : provider.getTracer(SCOPE.name, SCOPE.version);
}

// Checks for the member, since the provider may come from another copy of the API.
function isProxy(provider: TracerProvider): provider is DelegatingProvider {
  return "getDelegateTracer" in provider;
}
