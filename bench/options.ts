import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run bench -- [--quick] [--brief] [--only <text>] [--shard <n>/<m>] [--latency <ms>] [--out <folder>]

  --quick    a few rounds on little data, in seconds: shows that every scenario runs, not how fast; writes no files
  --brief    few of the new processes of the cold calls; writes no files
  --only     what has this text in its name, in whatever case; writes no files
  --shard    every m-th of them, from the n-th on, such as 1/3; writes no files
  --latency  measures a second time through a proxy that delays each direction by so many milliseconds (default 1);
             0 measures directly alone
  --out      where the results are written (default bench/results, with --quick, --brief and --only nowhere)

DATABASE_URL names the server; without it one is started. Both savers get databases of their own, dropped at the end.`;

/** The command-line options of the benchmark. */
export interface BenchOptions {
  readonly quick: boolean;
  /** Whether only a few new processes make the cold calls. */
  readonly brief: boolean;
  /** A part of the names of the scenarios to run, in lower case. Empty for all. */
  readonly only: string;
  /** Which of them to run: every `count`-th, from the one at `index` on. */
  readonly shard: { readonly index: number; readonly count: number };
  /** The delay of each direction in milliseconds. 0 measures only without a proxy. */
  readonly latencyMs: number;
  /** The folder for the results, if any. */
  readonly out: string | undefined;
  readonly help: boolean;
}

const latency = z.coerce.number("expected milliseconds").int().min(0).max(1000);

const shardText = z
  .string()
  .regex(/^[1-9]\d?\/[1-9]\d?$/, "expected such as 1/3")
  .transform((text) => text.split("/").map(Number))
  .transform(([number = 1, count = 1]) => ({ index: number - 1, count }))
  .refine(({ index, count }) => index < count, "expected such as 1/3");

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
      brief: { type: "boolean", default: false },
      latency: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      shard: { type: "string", default: "1/1" },
      out: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const latencyMs = latency.safeParse(values.latency);
  if (!latencyMs.success) throw new Error(`--latency: ${z.prettifyError(latencyMs.error)}`);
  const shard = shardText.safeParse(values.shard);
  if (!shard.success) throw new Error(`--shard: ${z.prettifyError(shard.error)}`);
  const { quick, brief, help } = values;
  const only = values.only.toLowerCase();
  // A part of a run must not replace the results of a whole run.
  const out =
    values.out ?? (quick || brief || only !== "" || shard.data.count > 1 ? undefined : "bench/results");
  return { quick, brief, only, shard: shard.data, help, latencyMs: latencyMs.data, out };
}
