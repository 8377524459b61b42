import { parseArgs } from "node:util";
import { z } from "zod";
import { randomSeed } from "../chaos/run/parse-arguments.js";

export const USAGE = `npm run test:service [-- --minutes 30] [--users 12] [--only <text>] [--seed <number>]

  --minutes  how long to inject faults
  --users    how many users talk at the same time
  --only     only faults with this text in their names; default: all
  --seed     the order of the faults; each run prints its seed`;

const Values = z.object({
  minutes: z.coerce.number().positive().default(30),
  users: z.coerce.number().int().positive().default(12),
  only: z.string().default(""),
  seed: z.coerce.number().int().min(0).default(randomSeed),
  help: z.boolean().default(false),
});

export type ServiceArguments = z.infer<typeof Values>;

/** @throws Error that names the invalid argument. */
export function parseServiceArguments(args: string[]): ServiceArguments {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string" },
      users: { type: "string" },
      only: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  return Values.parse(values);
}
