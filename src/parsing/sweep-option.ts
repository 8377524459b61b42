import { z } from "zod";
import { MAX_EVERY_MS } from "../db/scheduling/rounds.js";

const MINUTE_MS = 60_000;

/** How often what has expired is deleted. */
export interface SweepOptions {
  /**
   * How often what has expired is deleted, in minutes, or `false` for only by `sweep()`. It is never found, even before. On a transaction,
   * only `sweep()` deletes. Default 5.
   */
  readonly sweepIntervalMinutes?: number | false | undefined;
}

/** The schema of {@link SweepOptions}, with the default of stores and caches. */
export const sweepOption = {
  sweepIntervalMinutes: z
    .union([
      z.literal(false),
      z
        .number()
        .positive()
        .max(MAX_EVERY_MS / MINUTE_MS),
    ])
    .default(5),
};
