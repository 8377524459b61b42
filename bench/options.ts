import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run bench -- [--quick] [--only <text>] [--latency <ms>] [--out <folder>]

  --quick    a few rounds on little data, in seconds: shows that every scenario runs, not how fast; writes no files
  --only     what has this text in its name, in whatever case; writes no files
  --latency  measures a second time through a proxy that delays each direction by so many milliseconds (default 1);
             0 measures directly alone
  --out      where the results are written (default bench/results, with --quick and --only nowhere)

DATABASE_URL names the server; without it one is started. Both savers get databases of their own, dropped at the end.`;

/** The command-line options of the benchmark. */
export interface BenchOptions {
  readonly quick: boolean;
  /** A part of the names of the scenarios to run, in lower case. Empty for all. */
  readonly only: string;
  /** The delay of each direction in milliseconds. 0 measures only without a proxy. */
  readonly latencyMs: number;
  /** The folder for the results, if any. */
  readonly out: string | undefined;
  readonly help: boolean;
}

const latency = z.coerce.number("expected milliseconds").int().min(0).max(1000);

/**
 * Parses the command line.
 *
 * @throws Error naming an invalid argument.
 */
export function parseBenchOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      latency: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      out: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const latencyMs = latency.safeParse(values.latency);
  if (!latencyMs.success) throw new Error(`--latency: ${z.prettifyError(latencyMs.error)}`);
  const { quick, help } = values;
  const only = values.only.toLowerCase();
  // A part of a run must not replace the results of a whole run.
  const out = values.out ?? (quick || only !== "" ? undefined : "bench/results");
  return { quick, only, help, latencyMs: latencyMs.data, out };
}
