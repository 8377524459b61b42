import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import {
  isOnPage,
  pageShapeOf,
  type PageParams,
  type PageShape,
  type TablePage,
} from "../../saver/queries/table-page.js";

/** The key of a tombstone. */
export interface TombstoneKey {
  readonly threadId: string;
}

/** A tombstone, and whether its thread has a checkpoint. */
export interface CheckedTombstoneRow {
  readonly thread_id: string;
  readonly is_living: boolean;
}

/** Reads tombstones in the order of the primary key. */
export function getTombstonePage(
  call: CallContext,
  page: TablePage<TombstoneKey>,
): Promise<CheckedTombstoneRow[]> {
  return runStatement(call, statements.of(pageShapeOf(page)), {
    threadId: page.threadId ?? "",
    pageSize: page.pageSize,
    fromThreadId: page.begin?.key.threadId ?? "",
  });
}

interface TombstoneParams extends PageParams {
  readonly fromThreadId: string;
}

const KEY = sql`stored.thread_id`;

const statements = new StatementFamily<PageShape, TombstoneParams, CheckedTombstoneRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_tombstones as stored")
      .where(isOnPage(shape, parameter, KEY, sql`${parameter("fromThreadId")}`))
      .select("stored.thread_id")
      .select((eb) => {
        // Not EXISTS: for it the planner may read the whole table, again for every page.
        const checkpoint = eb
          .selectFrom("checkpoints as living")
          .select("living.checkpoint_id")
          .where("living.thread_id", "=", shape.ofThread ? parameter("threadId") : eb.ref("stored.thread_id"))
          .limit(sql.lit(1));
        return sql<boolean>`(${checkpoint}) is not null`.as("is_living");
      })
      .orderBy("stored.thread_id")
      .limit(parameter("pageSize")),
);
