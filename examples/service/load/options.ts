import { parseArgs } from "node:util";
import { z } from "zod";

export const USAGE = `npm run load [-- --url http://127.0.0.1:3000] [--users 20] [--seconds 30] [--pause 100] [--bound 30] [--json]

  --url      where the service is; several times for several processes of it
  --users    how many users talk at the same time
  --seconds  for how long
  --pause    between two turns of a user, in milliseconds
  --bound    how long a user may wait for a turn, with all retries, in seconds
  --json     prints the report as one line of JSON

INSPECTOR_TOKEN  the password of the inspector, where the load approves refunds; without it nobody asks for one

Exit code 1 if something that was acknowledged is lost, if a user waited longer than the bound, or if a last turn fails.`;

const Values = z.object({
  url: z.array(z.url()).default(["http://127.0.0.1:3000"]),
  users: z.coerce.number().int().positive().default(20),
  seconds: z.coerce.number().positive().default(30),
  pause: z.coerce.number().min(0).default(100),
  bound: z.coerce.number().positive().default(30),
  json: z.boolean().default(false),
  help: z.boolean().default(false),
});

/** What the load is told by its command line. */
export interface LoadOptions {
  readonly urls: readonly string[];
  readonly users: number;
  readonly durationMs: number;
  readonly pauseMs: number;
  readonly boundMs: number;
  /** Undefined for a load without refunds. */
  readonly token: string | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

/** @throws Error that names the wrong argument. */
export function parseLoadOptions(args: string[], env: NodeJS.ProcessEnv): LoadOptions {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: "string", multiple: true },
      users: { type: "string" },
      seconds: { type: "string" },
      pause: { type: "string" },
      bound: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const { data, error } = Values.safeParse(values);
  if (data === undefined) throw new Error(z.prettifyError(error));
  const { url: urls, users, seconds, pause: pauseMs, bound, json, help } = data;
  const token = env.INSPECTOR_TOKEN === "" ? undefined : env.INSPECTOR_TOKEN;
  return { urls, users, durationMs: seconds * 1_000, pauseMs, boundMs: bound * 1_000, token, json, help };
}
