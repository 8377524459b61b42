import { sql } from "kysely";
import { timeText } from "../db/number-text.js";
import { idsFrom, timeInId } from "../saver/model/checkpoint-time.js";
import { isUuid6 } from "../saver/queries/header-parts.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { ok, warning, unknown } = findingsOf("ids");

/** Checks for checkpoint ids with a time in the future. */
export const checkFutureIds: Check = {
  name: "ids",
  run: async (examination) => {
    const { schema } = examination;
    const table = schema.tables.get("checkpoints");
    if (!schema.usable || table === undefined) return [];
    if (!table.rights.includes("select")) return [unknown(`role "${schema.role}" can't read "checkpoints"`)];
    return [await findFutureIds(examination)];
  },
};

async function findFutureIds({ db, schema, limits }: Examination): Promise<Finding> {
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
  if (found.last === null) return ok("no checkpoint id is in the future");
  const until = timeInId(found.last)?.toISOString() ?? "";
  const count = `${found.count.toLocaleString("en")} ${found.count === 1 ? "checkpoint id is" : "checkpoint ids are"}`;
  return warning(
    `${count} in the future, the latest of ${until} in thread "${found.thread}"; until then, runs of such threads wait or are refused`,
    "synchronize the clocks of the writers by NTP; then copy what you need of such threads from an earlier checkpoint to new threads, and delete the old ones",
  );
}
