import { sql } from "kysely";
import { timeText } from "../db/number-text.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { idsFrom, timeInId } from "../saver/model/checkpoint-time.js";
import { isUuid6 } from "../saver/queries/header-parts.js";

const clock = findingsOf("clock");

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
    if (leastDifference <= limits.clockMs) return clock.ok("the clocks of this machine and the server agree");
    const way = ahead > 0 ? "ahead of" : "behind";
    return clock.warning(
      `this machine's clock is ${seconds(Math.abs(ahead))} ${way} the server's; checkpoint ids contain the time: runs wait or are refused where the clock is behind, and retention goes by it`,
      "synchronize the clocks of all machines by NTP",
    );
  },
};

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

const ids = findingsOf("ids");

/** Checks for checkpoint ids with a time in the future. */
export const checkFutureIds: Check = {
  name: "ids",
  run: async (examination) => {
    const { schema } = examination;
    const table = schema.tables.get("checkpoints");
    if (!schema.usable || table === undefined) return [];
    if (!table.rights.includes("select"))
      return ids.unknown(`role "${schema.role}" can't read "checkpoints"`);
    return findFutureIds(examination);
  },
};

async function findFutureIds({ db, schema, limits }: Examination): Promise<Finding[]> {
  const { now } = await db.selectNoFrom(timeText(sql`clock_timestamp()`).as("now")).executeTakeFirstOrThrow();
  const id = sql<string>`checkpoint_id collate "C"`;
  const found = await db
    .withSchema(schema.name)
    .selectFrom("checkpoints")
    .where(id, ">", idsFrom(new Date(Number(now) + limits.clockMs)))
    .where((eb) => isUuid6(eb.ref("checkpoint_id")))
    .select(sql<number>`count(*)::float8`.as("count"))
    .select(sql<string | null>`max(${id})`.as("last"))
    .select(sql<string>`(array_agg(thread_id order by ${id} desc))[1]`.as("thread"))
    .executeTakeFirstOrThrow();
  if (found.last === null) return ids.ok("no checkpoint id is in the future");
  const until = timeInId(found.last)?.toISOString() ?? "";
  const count = `${found.count.toLocaleString("en")} ${found.count === 1 ? "checkpoint id is" : "checkpoint ids are"}`;
  return ids.warning(
    `${count} in the future, the latest of ${until} in thread "${found.thread}"; until then, runs of such threads wait or are refused`,
    "synchronize the clocks of the writers by NTP; then copy what you need of such threads from an earlier checkpoint to new threads, and delete the old ones",
  );
}
