import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run test:chaos [-- --saver official] [-- --only <text>]

  --saver     the saver under load: ours (default), or official, for comparison
  --only      only faults with this text in their names; default: all
  --no-forks  only continues from the newest checkpoint
  --sabotage  makes the server acknowledge before it writes; the run must then find lost calls

CHAOS_MINUTES  how long to inject faults, in minutes (default 3)
CHAOS_SEED     the seed of the random faults; each run prints its seed
CHAOS_REPORT   "write" writes the figures to docs/reliability.md`;

const environment = z.object({
  CHAOS_MINUTES: z.coerce.number().positive().default(3),
  CHAOS_SEED: z.coerce.number().int().min(0).optional(),
  CHAOS_REPORT: z.literal(["write", ""]).default(""),
});

/** The arguments of a long run. */
export interface ChaosArguments {
  readonly seed: number;
  readonly saver: "ours" | "official";
  /** A text in the names of the faults; empty for all faults. */
  readonly only: string;
  readonly forks: boolean;
  readonly sabotage: boolean;
  readonly minutes: number;
  /** Whether to write the figures to the documentation. */
  readonly writes: boolean;
  readonly help: boolean;
}

/**
 * Parses the command line and the environment.
 *
 * @throws Error that names the invalid argument.
 */
export function parseChaosArguments(args: string[], env: NodeJS.ProcessEnv): ChaosArguments {
  const { values } = parseArgs({
    args,
    options: {
      saver: { type: "string", default: "ours" },
      only: { type: "string", default: "" },
      "no-forks": { type: "boolean", default: false },
      sabotage: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { CHAOS_MINUTES, CHAOS_REPORT, CHAOS_SEED } = environment.parse(env);
  return {
    seed: CHAOS_SEED ?? randomSeed(),
    saver: z.enum(["ours", "official"]).parse(values.saver),
    only: values.only,
    forks: !values["no-forks"],
    sabotage: values.sabotage,
    minutes: CHAOS_MINUTES,
    writes: CHAOS_REPORT === "write",
    help: values.help,
  };
}

/** Returns a random seed that is short enough to copy. */
export function randomSeed(): number {
  return randomInt(1_000_000);
}
