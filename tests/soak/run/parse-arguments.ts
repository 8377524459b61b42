import { parseArgs } from "node:util";
import { z } from "zod";
import { randomSeed } from "../../chaos/run/parse-arguments.js";

export const USAGE = `npm run test:soak [-- --minutes 60] [-- --users 40] [-- --processes 3] [-- --seed N]

  --minutes    how long users make turns while faults happen (default 60)
  --users      how many users there are (default 40)
  --processes  how many processes serve them (default 3); the first one is never killed
  --seed       the seed of users and faults; each run prints its own

It prints a line each minute, and a report at the end. The exit code is 1 if a promise is broken.`;

const Values = z.object({
  minutes: z.coerce.number().positive().default(60),
  users: z.coerce.number().int().positive().default(40),
  processes: z.coerce.number().int().positive().default(3),
  seed: z.coerce.number().int().min(0).default(randomSeed),
  help: z.boolean().default(false),
});

/** The arguments of a soak. */
export type SoakArguments = z.infer<typeof Values>;

/**
 * Parses the command line.
 *
 * @throws Error that names the invalid argument.
 */
export function parseSoakArguments(args: string[]): SoakArguments {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string" },
      users: { type: "string" },
      processes: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  return Values.parse(values);
}

/** The command that repeats a run, but for the timing of the machine. */
export function commandOf({ minutes, users, processes, seed }: SoakArguments): string {
  return `npm run test:soak -- --minutes ${minutes} --users ${users} --processes ${processes} --seed ${seed}`;
}
