import {
  type Counter,
  createNoopMeter,
  type Gauge,
  type Histogram,
  type MeterProvider,
  metrics,
  type UpDownCounter,
} from "@opentelemetry/api";
import { SCOPE } from "./scope.js";

/** The metrics. */
export interface Instruments {
  /** The duration of a call, in seconds. */
  readonly duration: Histogram;
  /** The number of rows that the database sent for a call. */
  readonly returnedRows: Histogram;
  /** The bytes of values and headers that a call stored or read. */
  readonly bytes: Histogram;
  readonly retries: Counter;
  /** How long reads have waited until the clock had passed the newest checkpoint, in seconds. */
  readonly clockWait: Histogram;
  readonly errors: Counter;
  /** Calls that have not settled. */
  readonly pending: UpDownCounter;
  /** Values that a saver with splices compared with a remembered one, or could not. */
  readonly spliceLookups: Counter;
  /** The bytes of values that savers with splices remember. */
  readonly spliceMemory: UpDownCounter;
  /** Entries of caches, by what has become of them. */
  readonly cacheEntries: Counter;
  /** Reads that may be stale, by where they went. */
  readonly staleReads: Counter;
  /** The duration of rounds of retention and sweeps that run by themselves, in seconds. */
  readonly roundDuration: Histogram;
  /** The rows that these rounds have deleted. */
  readonly roundRows: Counter;
  /** When the last of these rounds was done, in seconds since 1970. */
  readonly roundSuccess: Gauge;
}

/** The bounds that OpenTelemetry's semantic conventions recommend, in seconds. */
const DURATION_BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];
/** From a tenth of a second to a day. */
const ROUND_BOUNDS = [0.1, 1, 10, 60, 300, 900, 3_600, 14_400, 86_400];
const ROW_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/** From a kibibyte to a gibibyte. */
const BYTE_BOUNDS = [10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30].map((power) => 2 ** power);

const known = /* @__PURE__ */ new WeakMap<MeterProvider, { readonly instruments: Instruments | undefined }>();

/**
 * The instruments of the registered SDK; `undefined` where none is registered. Every call asks again, since
 * another copy of the API may register an SDK after the saver was created.
 */
export function currentInstruments(): Instruments | undefined {
  const provider = metrics.getMeterProvider();
  const found = known.get(provider);
  if (found !== undefined) return found.instruments;
  const instruments = create(provider);
  known.set(provider, { instruments });
  return instruments;
}

function create(provider: MeterProvider): Instruments | undefined {
  const meter = provider.getMeter(SCOPE.name, SCOPE.version);
  if (meter === createNoopMeter()) return undefined;
  return {
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
    clockWait: meter.createHistogram("langgraph.checkpoint.clock_wait", {
      description: "Waits until this machine's clock had passed the newest checkpoint.",
      unit: "s",
      advice: { explicitBucketBoundaries: DURATION_BOUNDS },
    }),
    errors: meter.createCounter("langgraph.checkpoint.errors", {
      description: "Calls that failed.",
      unit: "{error}",
    }),
    pending: meter.createUpDownCounter("langgraph.checkpoint.pending", {
      description: "Calls that have not settled.",
      unit: "{call}",
    }),
    spliceLookups: meter.createCounter("langgraph.checkpoint.splice.lookups", {
      description: "Long values that were stored, by whether the value before was remembered.",
      unit: "{value}",
    }),
    spliceMemory: meter.createUpDownCounter("langgraph.checkpoint.splice.memory", {
      description: "Bytes of values that are remembered to store the next ones as splices.",
      unit: "By",
    }),
    staleReads: meter.createCounter("langgraph.checkpoint.stale_reads", {
      description:
        "Statements that may read a replica, by whether they did, or why they went to the primary.",
      unit: "{statement}",
    }),
    roundDuration: meter.createHistogram("langgraph.checkpoint.retention.duration", {
      description: "Duration of rounds of retention and sweeps, by what has become of them.",
      unit: "s",
      advice: { explicitBucketBoundaries: ROUND_BOUNDS },
    }),
    roundRows: meter.createCounter("langgraph.checkpoint.retention.rows", {
      description: "Rows that rounds of retention and sweeps have deleted.",
      unit: "{row}",
    }),
    roundSuccess: meter.createGauge("langgraph.checkpoint.retention.last_success", {
      description: "When this process has last completed a round of retention or a sweep, since 1970.",
      unit: "s",
    }),
    cacheEntries: meter.createCounter("langgraph.checkpoint.cache.entries", {
      description: "Entries of caches that were looked up or stored, by what has become of them.",
      unit: "{entry}",
    }),
  };
}
