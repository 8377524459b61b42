import { sql } from "kysely";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning } = findingsOf("clock");

/** Whether this machine's clock and the server's agree: the ids of checkpoints are made by clients, and hold the time. */
export const checkClock: Check = {
  name: "clock",
  run: async ({ db, now, limits }: Examination): Promise<Finding[]> => {
    const sent = now();
    const server = await db
      .selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as("ms"))
      .executeTakeFirstOrThrow();
    const received = now();
    // Taken to be read in the middle of the round trip, which it need not be.
    const ahead = (sent + received) / 2 - server.ms;
    const certain = Math.abs(ahead) - (received - sent) / 2;
    if (certain <= limits.clockMs) return [ok("this machine's and the server's agree")];
    const way = ahead > 0 ? "ahead of" : "behind";
    return [
      warning(
        `this machine's is ${seconds(Math.abs(ahead))} ${way} the server's: retention goes by the time in checkpoint ids, which clients make`,
        "have the clocks of all machines set by NTP",
      ),
    ];
  },
};

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
