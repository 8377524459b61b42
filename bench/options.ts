import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run bench -- [--quick] [--latency <ms>] [--out <folder>]

  --quick    a few rounds on little data, in seconds: shows that every scenario runs, not how fast; writes no files
  --latency  measures a second time through a proxy that delays each direction by so many milliseconds
  --out      where latest.json and latest.md are written (default bench/results, with --quick nowhere)

DATABASE_URL names the server; without it one is started. Both savers get databases of their own, dropped at the end.`;

/** What the benchmark was asked for on the command line. */
export interface BenchOptions {
  readonly quick: boolean;
  /** The delay of each direction in milliseconds; 0 measures without a proxy alone. */
  readonly latencyMs: number;
  /** Where the results are written, if anywhere. */
  readonly out: string | undefined;
  readonly help: boolean;
}

const latency = z.coerce.number("expected milliseconds").int().min(0).max(1000);

/**
 * Reads the command line.
 *
 * @throws Error that says which argument can't be used.
 */
export function parseBenchOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      latency: { type: "string", default: "0" },
      out: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const latencyMs = latency.safeParse(values.latency);
  if (!latencyMs.success) throw new Error(`--latency: ${z.prettifyError(latencyMs.error)}`);
  const out = values.out ?? (values.quick ? undefined : "bench/results");
  return { quick: values.quick, help: values.help, latencyMs: latencyMs.data, out };
}
