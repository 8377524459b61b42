import { z } from "zod";

const clientOptions = z.object({
  /** The URLs of what is published: the ES module and the CommonJS build. The load tests both on the same threads. */
  builds: z.array(z.string()),
  url: z.string(),
  journal: z.string(),
  saver: z.enum(["ours", "official"]),
  /** Whether older checkpoints get a second successor. */
  forks: z.boolean(),
  /** How many threads the load drives at once. */
  slots: z.number().int().positive(),
  /** The size of the pool. */
  poolSize: z.number().int().positive(),
  /** How long to wait for a connection, in milliseconds. */
  connectionTimeoutMs: z.number(),
  /** How long to wait for a statement, in milliseconds. */
  statementTimeoutMs: z.number(),
  seed: z.number(),
  /** The prefix of the ids of this process's operations. */
  generation: z.number(),
  /** How far the clock of this process is behind the newest stored checkpoint at first, in milliseconds. Default: it is right. */
  clockBehindMs: z.number().optional(),
});

/** The options of a process of the load. */
export type ClientOptions = z.output<typeof clientOptions>;

/** Reads the {@link ClientOptions} from the first argument, which is JSON. */
export function parseClientOptions(argument: string | undefined): ClientOptions {
  return clientOptions.parse(JSON.parse(argument ?? "{}"));
}

/** A message to a running process of the load. */
export type ClientOrder = { readonly order: "stop" } | { readonly order: "exhaust"; readonly forMs: number };
