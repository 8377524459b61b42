import { metrics } from "@opentelemetry/api";
import { PrometheusExporter } from "@opentelemetry/exporter-prometheus";
import { MeterProvider } from "@opentelemetry/sdk-metrics";

/** Counts and times turns. */
export interface TurnMetrics {
  /** Passes on a turn. */
  measure<Reply extends { readonly status: string }>(turn: Promise<Reply>): Promise<Reply>;
}

/** The metrics of this process: those of the library, and its own. */
export interface Metrics {
  readonly turns: TurnMetrics;
  /** Answers `GET /metrics`. */
  readonly handler: PrometheusExporter["getMetricsRequestHandler"];
  close(): Promise<void>;
}

/** Registers an SDK, which the library finds by itself. */
export function startMetrics(): Metrics {
  const exporter = new PrometheusExporter({ preventServerStart: true, withoutTargetInfo: true });
  const provider = new MeterProvider({ readers: [exporter] });
  metrics.setGlobalMeterProvider(provider);
  const meter = provider.getMeter("assistant-service");
  const duration = meter.createHistogram("assistant.turn.duration", {
    description: "How long turns took, by what they led to",
    unit: "s",
    advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  const running = meter.createUpDownCounter("assistant.turn.running", { description: "Turns under way" });
  meter
    .createObservableGauge("process.memory.heap_used", { description: "The heap of JavaScript", unit: "By" })
    .addCallback((result) => {
      result.observe(process.memoryUsage().heapUsed);
    });
  return {
    turns: {
      measure: async (turn) => {
        const begun = performance.now();
        const record = (outcome: string): void => {
          duration.record((performance.now() - begun) / 1_000, { outcome });
        };
        running.add(1);
        try {
          const reply = await turn;
          record(reply.status);
          return reply;
        } catch (error) {
          record(error instanceof Error ? error.name : "unknown");
          throw error;
        } finally {
          running.add(-1);
        }
      },
    },
    handler: exporter.getMetricsRequestHandler.bind(exporter),
    close: () => provider.shutdown(),
  };
}
