import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { placementOf } from "../../db/placement/placement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { CONTROL_CHANNELS, OPEN_CHANNELS } from "../values/trigger-channels.js";
import { literals } from "./literals.js";
import { runUncompiled } from "../../db/statements/run-uncompiled.js";

/** How many threads have an open task. */
interface OpenCountRow {
  readonly interrupted: number;
  readonly failed: number;
}

/** Counts what `listThreadPage` lists. */
export async function countOpenThreads(call: CallContext): Promise<OpenCountRow> {
  const { isOnNodes } = await placementOf(call);
  const [row] = await runUncompiled(call, counts.of(isOnNodes), {});
  return row ?? { interrupted: 0, failed: 0 };
}

const counts = new StatementFamily<boolean, object, OpenCountRow>(
  (isOnNodes) => (db) =>
    withOpenThreads(db, isOnNodes)
      .selectFrom("open")
      .select([
        sql<number>`(count(*) filter (where not has_failed))::float8`.as("interrupted"),
        sql<number>`(count(*) filter (where has_failed))::float8`.as("failed"),
      ]),
);

/** The threads whose newest checkpoint of the root graph has a task with an interrupt or an error, and without an output. */
export function withOpenThreads(db: QueryCreator<CheckpointDatabase>, isOnNodes: boolean) {
  return (
    db
      // The index has all of this in its order.
      .with("marked", (qb) =>
        qb
          .selectFrom("checkpoint_writes as mark")
          .where("mark.checkpoint_ns", "=", sql.lit(""))
          .where("mark.channel", "in", literals(OPEN_CHANNELS))
          .groupBy("mark.thread_id")
          .select(["mark.thread_id", sql<string>`max(mark.checkpoint_id collate "C")`.as("checkpoint_id")]),
      )
      .with(
        // Otherwise the planner, which expects one such thread, joins all marks first. Nodes would send what is materialized.
        (cte) => (isOnNodes ? cte("newest") : cte("newest").materialized()),
        (qb) =>
          qb
            .selectFrom("marked")
            .selectAll()
            .where((eb) =>
              eb.not(
                eb.exists(
                  eb
                    .selectFrom("checkpoints as later")
                    .whereRef("later.thread_id", "=", "marked.thread_id")
                    .where("later.checkpoint_ns", "=", sql.lit(""))
                    .where(sql<SqlBool>`later.checkpoint_id collate "C" > marked.checkpoint_id collate "C"`)
                    .select("later.thread_id"),
                ),
              ),
            ),
      )
      .with("open", (qb) =>
        qb
          .selectFrom("newest")
          .innerJoin("checkpoint_writes as mark", (join) =>
            join
              .onRef("mark.thread_id", "=", "newest.thread_id")
              .on("mark.checkpoint_ns", "=", sql.lit(""))
              .onRef("mark.checkpoint_id", "=", "newest.checkpoint_id"),
          )
          .where("mark.channel", "in", literals(OPEN_CHANNELS))
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom("checkpoint_writes as output")
                  .whereRef("output.thread_id", "=", "newest.thread_id")
                  .where("output.checkpoint_ns", "=", sql.lit(""))
                  .whereRef("output.checkpoint_id", "=", "newest.checkpoint_id")
                  .whereRef("output.task_id", "=", "mark.task_id")
                  .where("output.channel", "not in", literals(CONTROL_CHANNELS))
                  .select("output.idx"),
              ),
            ),
          )
          .groupBy(["newest.thread_id", "newest.checkpoint_id"])
          .select(["newest.thread_id", "newest.checkpoint_id"])
          .select(sql<boolean>`bool_or(mark.channel = '__error__')`.as("has_failed")),
      )
  );
}
