import { sql } from "kysely";
import { timeText } from "../db/number-text.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning } = findingsOf("clock");

/** Checks this machine's clock against the server's: clients make checkpoint ids, which contain the time. */
export const checkClock: Check = {
  name: "clock",
  run: async ({ db, now, limits }: Examination): Promise<Finding[]> => {
    const sent = now();
    const server = await db.selectNoFrom(timeText(sql`clock_timestamp()`).as("ms")).executeTakeFirstOrThrow();
    const received = now();
    // Assumes that the server read its clock in the middle of the round trip; the difference below allows for either end.
    const ahead = (sent + received) / 2 - Number(server.ms);
    const leastDifference = Math.abs(ahead) - (received - sent) / 2;
    if (leastDifference <= limits.clockMs) return [ok("the clocks of this machine and the server agree")];
    const way = ahead > 0 ? "ahead of" : "behind";
    return [
      warning(
        `this machine's clock is ${seconds(Math.abs(ahead))} ${way} the server's; checkpoint ids contain the time: runs wait or are refused where the clock is behind, and retention goes by it`,
        "synchronize the clocks of all machines by NTP",
      ),
    ];
  },
};

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
