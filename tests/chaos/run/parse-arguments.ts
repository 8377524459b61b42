import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run test:chaos [-- --saver official] [-- --only <text>]

  --saver     whom the load is put upon: ours (default), or official, for comparison
  --only      faults that have this text in their names; all by default
  --no-forks  goes on from the newest checkpoint alone
  --sabotage  has the server acknowledge before it writes: the run must then find that calls were lost

CHAOS_MINUTES  for how long things go wrong (default 3)
CHAOS_SEED     decides what goes wrong when; the seed of a run is printed
CHAOS_REPORT   "write" puts the figures into docs/reliability.md`;

const environment = z.object({
  CHAOS_MINUTES: z.coerce.number().positive().default(3),
  CHAOS_SEED: z.coerce.number().int().min(0).optional(),
  CHAOS_REPORT: z.literal(["write", ""]).default(""),
});

/** What a long run was asked for. */
export interface ChaosArguments {
  readonly seed: number;
  readonly saver: "ours" | "official";
  /** A part of the names of the faults; empty for all. */
  readonly only: string;
  readonly forks: boolean;
  readonly sabotage: boolean;
  readonly minutes: number;
  /** Whether the figures go into the documentation. */
  readonly writes: boolean;
  readonly help: boolean;
}

/**
 * Reads the command line and the environment.
 *
 * @throws Error that says what of it can't be used.
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

/** A seed that is short enough to be copied. */
export function randomSeed(): number {
  return randomInt(1_000_000);
}
