import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { deleteUnreferenced } from "./delete-unreferenced.js";
import { migratedColumn } from "./select-tuple-rows.js";
import type { ThreadGroup, ThreadNaming, ThreadsParams } from "./thread-groups.js";

/**
 * Deletes threads with all of their namespaces in one transaction, so that no reader sees them half deleted.
 *
 * The first statement waits for every `put` that references a checkpoint or a value of these threads. The second
 * keeps the values that their checkpoints reference (C7, C8).
 */
export function deleteThreads(
  schema: string,
  { naming, threadId, items: threadIds }: ThreadGroup<string>,
): BoundStatement<unknown>[] {
  return [
    deleteAndLock.of(naming).bind(schema, { threadIds, threadId }),
    deleteUnreferenced(schema, { naming, threadId, threadIds }),
  ];
}

/**
 * Locks and deletes checkpoints, then writes, and then locks values. `delete` takes its locks in the order in which it finds
 * rows, so each table is locked in the order of its key before (C2). The counts make Postgres do these steps one after another.
 */
const deleteAndLock = new StatementFamily<ThreadNaming, ThreadsParams, unknown>(
  (naming) => (db, parameter) => {
    const isMeant = isGivenThread(naming, parameter);
    return db
      .with("held_checkpoint", (qb) =>
        qb
          .selectFrom("checkpoints")
          .select("type")
          .where(isMeant)
          .orderBy(sql`thread_id collate "C"`)
          .orderBy(sql`checkpoint_ns collate "C"`)
          .orderBy(sql`checkpoint_id collate "C"`)
          .forUpdate(),
      )
      .with("checkpoint", (qb) =>
        qb
          .deleteFrom("checkpoints")
          .where(isMeant)
          .where((eb) => sql<SqlBool>`(${eb.selectFrom("held_checkpoint").select(ROWS)}) >= 0`)
          .returning("type"),
      )
      .with("held_write", (qb) =>
        qb
          .selectFrom("checkpoint_writes")
          .select("idx")
          .where(isMeant)
          .where((eb) => sql<SqlBool>`(${eb.selectFrom("checkpoint").select(ROWS)}) >= 0`)
          .orderBy(sql`thread_id collate "C"`)
          .orderBy(sql`checkpoint_ns collate "C"`)
          .orderBy(sql`checkpoint_id collate "C"`)
          .orderBy(sql`task_id collate "C"`)
          .orderBy("idx")
          .forUpdate(),
      )
      .with("write", (qb) =>
        qb
          .deleteFrom("checkpoint_writes")
          .where(isMeant)
          .where((eb) => sql<SqlBool>`(${eb.selectFrom("held_write").select(ROWS)}) >= 0`)
          .returning("idx"),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom("checkpoint_blobs")
          .select("version")
          .where(sql<SqlBool>`(${eb.selectFrom("write").select(ROWS)}) >= 0`)
          .where(isMeant)
          .orderBy(sql`thread_id collate "C"`)
          .orderBy(sql`checkpoint_ns collate "C"`)
          .orderBy(sql`channel collate "C"`)
          .orderBy(sql`version collate "C"`)
          .forUpdate()
          .as("locked"),
      )
      .select([
        ROWS,
        migratedColumn(db, naming === "parameter" ? parameter("threadId") : undefined).as("migrated"),
      ]);
  },
);

const ROWS = sql<number>`count(*)::float8`.as("rows");

function isGivenThread(naming: ThreadNaming, parameter: Parameter<ThreadsParams>): RawBuilder<SqlBool> {
  return naming === "parameter"
    ? sql<SqlBool>`thread_id = ${parameter("threadId")}`
    : sql<SqlBool>`thread_id = any (${parameter("threadIds")}::text[])`;
}
