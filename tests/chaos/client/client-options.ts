import { z } from "zod";

const clientOptions = z.object({
  url: z.string(),
  journal: z.string(),
  saver: z.enum(["ours", "official"]),
  /** Whether older checkpoints get a second successor. */
  forks: z.boolean(),
  /** How many threads are driven at once. */
  slots: z.number().int().positive(),
  /** How many connections there are for them. */
  poolSize: z.number().int().positive(),
  /** After this a connection that can't be had is given up. */
  connectionTimeoutMs: z.number(),
  /** After this a statement is given up. */
  statementTimeoutMs: z.number(),
  seed: z.number(),
  /** What the ids of this process's operations begin with. */
  generation: z.number(),
});

/** What a process of the load is told. */
export type ClientOptions = z.output<typeof clientOptions>;

/** Reads what {@link ClientOptions} were handed over as: the first argument, in JSON. */
export function parseClientOptions(argument: string | undefined): ClientOptions {
  return clientOptions.parse(JSON.parse(argument ?? "{}"));
}

/** What a process of the load is told while it runs. */
export type ClientOrder = { readonly order: "stop" } | { readonly order: "exhaust"; readonly forMs: number };
