import {
  type Counter,
  createNoopMeter,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  type UpDownCounter,
} from "@opentelemetry/api";
import packageJson from "../../package.json" with { type: "json" };

/** The metrics of calls. */
export interface CallInstruments {
  /** The duration of a call, in seconds. */
  readonly duration: Histogram;
  /** The number of rows that the database sent for a call. */
  readonly returnedRows: Histogram;
  /** The bytes of values and headers that a call stored or read. */
  readonly bytes: Histogram;
  readonly retries: Counter;
  readonly errors: Counter;
  /** Calls that have not settled. */
  readonly pending: UpDownCounter;
  /** Calls to which the database has answered nothing for too long. */
  readonly waiting: UpDownCounter;
}

/** Whether something can be stored, as `health()` has found. */
export const healthInstrument = defineInstruments((meter) =>
  meter.createGauge("langgraph.checkpoint.healthy", {
    description:
      "1 where the last health() was ok, else 0, by db.operation.name: health, store.health, cache.health or checkpointStore.health. It is there once something has called health().",
  }),
);

/** The bounds that OpenTelemetry's semantic conventions recommend for a duration, in seconds. */
export const DURATION_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
const ROW_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/** From a kibibyte to a gibibyte. */
const BYTE_BOUNDS = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30].map((power) => 2 ** power);

/**
 * Defines metrics.
 *
 * @param create - Creates them, once for each SDK.
 * @returns A function that returns the metrics of the registered SDK; `undefined` where none is registered. Every use has to ask it again,
 *   since another copy of the API may register an SDK after the saver was created.
 */
export function defineInstruments<T>(create: (meter: Meter) => T): () => T | undefined {
  const known = new WeakMap<MeterProvider, { readonly instruments: T | undefined }>();
  return () => {
    const provider = metrics.getMeterProvider();
    const found = known.get(provider);
    if (found !== undefined) return found.instruments;
    const meter = provider.getMeter(SCOPE.name, SCOPE.version);
    const instruments = meter === createNoopMeter() ? undefined : create(meter);
    known.set(provider, { instruments });
    return instruments;
  };
}

export const callInstruments = defineInstruments((meter): CallInstruments => ({
  duration: meter.createHistogram("db.client.operation.duration", {
    description: "Duration of database client operations.",
    unit: "s",
    advice: { explicitBucketBoundaries: DURATION_BOUNDS },
  }),
  returnedRows: meter.createHistogram("db.client.response.returned_rows", {
    description: "The actual number of records returned by the database operation.",
    unit: "{row}",
    advice: { explicitBucketBoundaries: ROW_BOUNDS },
  }),
  bytes: meter.createHistogram("langgraph.checkpoint.bytes", {
    description: "Bytes of headers and values that a call stored or read.",
    unit: "By",
    advice: { explicitBucketBoundaries: BYTE_BOUNDS },
  }),
  retries: meter.createCounter("langgraph.checkpoint.retries", {
    description: "Attempts that failed with a transient fault and were retried.",
    unit: "{retry}",
  }),
  errors: meter.createCounter("langgraph.checkpoint.errors", {
    description: "Calls that failed, by error.type.",
    unit: "{error}",
  }),
  pending: meter.createUpDownCounter("langgraph.checkpoint.pending", {
    description: "Calls that have not settled.",
    unit: "{call}",
  }),
  waiting: meter.createUpDownCounter("langgraph.checkpoint.waiting", {
    description:
      "Calls to which the database has answered nothing for 20 seconds, by langgraph.checkpoint.waits_for.",
    unit: "{call}",
  }),
}));

/** The instrumentation scope of spans and metrics. */
export const SCOPE = { name: packageJson.name, version: packageJson.version };
