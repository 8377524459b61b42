import { z } from "zod";

const clientOptions = z.object({
  /** How the package and LangGraph are loaded. */
  loadedBy: z.enum(["import", "require"]),
  /** The folder of the built package, which ends with a slash. */
  dist: z.string(),
  url: z.string(),
  /** The journal of the process and of those before it with the same users. */
  journal: z.string(),
  /** The folder of the archive. */
  archive: z.string(),
  /** Names the process in its journal: the ids of its actions begin with it. */
  process: z.string(),
  users: z.array(z.number().int()),
  seed: z.number(),
});

/** The options of a process of the soak. */
export type SoakClientOptions = z.output<typeof clientOptions>;

/** Reads the options from the first argument, which is JSON. */
export function parseSoakClientOptions(argument: string | undefined): SoakClientOptions {
  return clientOptions.parse(JSON.parse(argument ?? "{}"));
}

/** A message to a process: to let each user make a last turn, and end; or to name the calls that wait. */
export type SoakOrder = "finish" | "explain";

/** What a process answers to `explain`. */
export interface Explanation {
  readonly pool: unknown;
  readonly waiting: readonly unknown[];
}
