import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { hasConversations } from "../../saver/queries/conversations-of-threads.js";
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

/** A tombstone, and whether its thread has a checkpoint or a conversation. */
export interface CheckedTombstoneRow {
  readonly thread_id: string;
  readonly is_living: boolean;
}

/** Reads tombstones in the order of the primary key. */
export async function getTombstonePage(
  call: CallContext,
  page: TablePage<TombstoneKey>,
): Promise<CheckedTombstoneRow[]> {
  const shape = { ...pageShapeOf(page), hasConversations: await hasConversations(call) };
  return runStatement(call, statements.of(shape), {
    threadId: page.threadId ?? "",
    pageSize: page.pageSize,
    fromThreadId: page.begin?.key.threadId ?? "",
  });
}

interface TombstoneParams extends PageParams {
  readonly fromThreadId: string;
}

const KEY = sql`stored.thread_id`;

interface TombstoneShape extends PageShape {
  readonly hasConversations: boolean;
}

const statements = new StatementFamily<TombstoneShape, TombstoneParams, CheckedTombstoneRow>(
  (shape) => (db, parameter) =>
    db
      .selectFrom("checkpoint_tombstones as stored")
      .where(isOnPage(shape, parameter, KEY, sql`${parameter("fromThreadId")}`))
      .select("stored.thread_id")
      .select((eb) => {
        // Not EXISTS: for it the planner may read the whole table, again for every page.
        const threadId = shape.ofThread ? parameter("threadId") : eb.ref("stored.thread_id");
        const checkpoint = eb
          .selectFrom("checkpoints as living")
          .select("living.checkpoint_id as id")
          .where("living.thread_id", "=", threadId)
          .limit(sql.lit(1));
        const conversation = eb
          .selectFrom("checkpoint_conversations as living")
          .select("living.thread_id as id")
          .where("living.thread_id", "=", threadId);
        const rows = shape.hasConversations ? [checkpoint, conversation] : [checkpoint];
        return sql<boolean>`coalesce(${sql.join(rows.map((row) => sql`(${row})`))}) is not null`.as(
          "is_living",
        );
      })
      .orderBy("stored.thread_id")
      .limit(parameter("pageSize")),
);
