import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

const AN_HOUR_MS = 3_600_000;

/** An OpenTelemetry SDK that keeps spans and metrics in memory. */
export class InMemorySdk {
  readonly #spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({
    exporter: this.#metrics,
    exportIntervalMillis: AN_HOUR_MS,
  });

  /** Registers the SDK, as an application does. */
  start(): this {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#spans)] }),
    );
    metrics.setGlobalMeterProvider(new MeterProvider({ readers: [this.#reader] }));
    return this;
  }

  async stop(): Promise<void> {
    trace.disable();
    metrics.disable();
    context.disable();
    await this.#reader.shutdown();
  }

  /** The ended spans, in the order in which they ended. */
  get spans(): ReadableSpan[] {
    return this.#spans.getFinishedSpans();
  }

  /** All metrics, as a reader hands them to an exporter. */
  async collected(): Promise<ResourceMetrics> {
    const { resourceMetrics } = await this.#reader.collect();
    return resourceMetrics;
  }

  /** The metrics by name. */
  async measured(): Promise<Map<string, MetricData>> {
    await this.#reader.forceFlush();
    const scopes = this.#metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    return new Map(scopes.flatMap(({ metrics: all }) => all.map((data) => [data.descriptor.name, data])));
  }
}
