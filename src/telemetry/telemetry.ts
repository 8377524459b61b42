import { AsyncResource } from "node:async_hooks";
import { context, SpanKind, trace, type Tracer, type TracerProvider } from "@opentelemetry/api";
import { CheckpointError } from "../errors/index.js";
import { type DatabaseAddress, type LogFields, type Logger, type LogLevel, SafeLogger } from "./logger.js";
import { describeError, framesOf } from "./describe-error.js";
import { callInstruments, healthInstrument, SCOPE } from "./instruments.js";
import { givenFields, isFirstLog, ObservedCall } from "./observed-call.js";
import { type ObservedOperation, RunningCall, type WaitingCall, RunningCalls } from "./running-calls.js";
import type { SpanAttributes } from "./span-attributes.js";

/** Options of {@link Telemetry}. */
interface TelemetryOptions {
  readonly logger?: Logger | undefined;
  /** Returns the address of the database. Called when a call is first observed. */
  readonly address: () => DatabaseAddress;
  /** Whether thread ids, which may be personal data, are reported. Default `true`. */
  readonly threadIds?: boolean | undefined;
  /** The name of the database system, as OpenTelemetry spells it. Default `postgresql`. */
  readonly system?: string | undefined;
}

/** What a line of the log says beside its message. */
interface EventDetails {
  readonly fields?: LogFields;
  /** The error that the event is about. Its code is logged, and its SQLSTATE. */
  readonly error?: unknown;
  /** Logged where thread ids are reported. */
  readonly threadId?: string | undefined;
}

/** Reports what a saver does to an OpenTelemetry SDK, where one is registered, and to a logger. */
export class Telemetry {
  readonly #log: SafeLogger;
  readonly #addressOf: () => DatabaseAddress;
  readonly #showsThreadIds: boolean;
  readonly #system: string;
  readonly #running = new RunningCalls((call, waitedMs) => {
    this.#reportWait(call, waitedMs);
  });
  #address: SpanAttributes | undefined;

  constructor({ logger, address, threadIds = true, system = "postgresql" }: TelemetryOptions) {
    this.#system = system;
    this.#log = new SafeLogger(logger);
    this.#addressOf = address;
    this.#showsThreadIds = threadIds;
  }

  /** Notes that a call has begun, which must {@link ended} tell when it has settled. */
  began(operation: ObservedOperation): RunningCall {
    const reports = this.#log.isEnabled || callInstruments() !== undefined;
    const context = reports ? new AsyncResource("RunningCall") : undefined;
    const running = new RunningCall(operation, this.#showsThreadIds, context);
    this.#running.add(running);
    return running;
  }

  /** Notes that a call has settled. */
  ended(running: RunningCall): void {
    this.#running.delete(running);
    running.ended();
  }

  /** The calls that wait too long, the longest wait first, and at most so many. */
  waiting(most: number): WaitingCall[] {
    const now = performance.now();
    return this.#running
      .late()
      .slice(0, most)
      .map(({ operation, subject: { threadId }, since, awaited }) => ({
        operation: operation.name,
        ...(threadId !== undefined && { threadId }),
        waitedMs: now - since,
        ...(awaited !== undefined && { waitsFor: awaited }),
      }));
  }

  /** Begins to observe a call as one span, with metrics and log. Returns `undefined` without an SDK and a logger. */
  observe(running: RunningCall): ObservedCall | undefined {
    const tracer = currentTracer();
    const instruments = callInstruments();
    if (tracer === undefined && instruments === undefined && !this.#log.isEnabled) return undefined;
    const attributes = this.#attributes(running.operation);
    // The attributes are set on creation, so that samplers can use them.
    const span = tracer?.startSpan(String(attributes["db.query.summary"]), {
      kind: SpanKind.CLIENT,
      attributes,
    });
    const callContext = span === undefined ? context.active() : trace.setSpan(context.active(), span);
    return new ObservedCall(running, attributes, { log: this.#log, span, instruments, context: callContext });
  }

  /** Reports what a `health()` has found. */
  health(operation: ObservedOperation, ok: boolean): void {
    healthInstrument()?.record(ok ? 1 : 0, this.#attributes(operation));
  }

  /** Logs an event that belongs to no call, or to several. */
  report(level: LogLevel, message: string, { fields, error, threadId }: EventDetails = {}): void {
    if (!this.#log.isEnabled) return;
    this.#log.write(level, message, {
      ...(this.#showsThreadIds && threadId !== undefined && { threadId }),
      ...(error !== undefined && codesOf(error)),
      ...fields,
    });
  }

  /** Reports an error of a call whose span has already ended, as for an unreadable value of a list. */
  failedLater({ name }: ObservedOperation, error: unknown): void {
    const { type, message } = describeError(error);
    callInstruments()?.errors.add(1, { "db.operation.name": name, "error.type": type });
    this.report("error", `${name} failed`, { fields: { operation: name, code: type, error: message } });
  }

  /** Reports an error outside of the calls that are observed, unless it has been logged. */
  failedBeside(message: string, error: unknown): void {
    if (!this.#log.isEnabled || !isFirstLog(error)) return;
    const stack = error instanceof CheckpointError ? undefined : framesOf(error);
    const text = describeError(error).message;
    this.report("error", message, { error, fields: { error: text, ...(stack !== undefined && { stack }) } });
  }

  #reportWait(call: RunningCall, waitedMs: number): void {
    const { operation, subject, awaited: waitsFor } = call;
    const write = (level: LogLevel, what: string, ms: number): void => {
      const fields = { operation: operation.name, ...subject, waitsFor, waitedMs: Math.round(ms) };
      this.#log.write(level, `${operation.name} ${what}`, givenFields(fields));
    };
    const attributes = {
      ...this.#attributes(operation),
      ...(waitsFor !== undefined && { "langgraph.checkpoint.waits_for": waitsFor }),
    };
    const waiting = callInstruments()?.waiting;
    waiting?.add(1, attributes);
    write("warn", "waits too long", waitedMs);
    call.reported((ms) => {
      waiting?.add(-1, attributes);
      if (ms !== undefined) write("info", "goes on", ms);
    });
  }

  #attributes({ name, table, isOnlyTable }: ObservedOperation): SpanAttributes {
    this.#address ??= addressAttributes(this.#addressOf());
    return {
      "db.system.name": this.#system,
      ...this.#address,
      "db.operation.name": name,
      "db.query.summary": `${name} ${table}`,
      ...(isOnlyTable === true && { "db.collection.name": table }),
    };
  }
}

function addressAttributes({ host, port, database }: DatabaseAddress): SpanAttributes {
  return {
    ...(host !== undefined && { "server.address": host }),
    ...(host !== undefined && port !== undefined && { "server.port": port }),
    ...(database !== undefined && { "db.namespace": database }),
  };
}

function codesOf(error: unknown): LogFields {
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
