import { sql } from "kysely";
import type { StatementBuilder } from "../../../db/statements/statement.js";
import type { RecordDialect } from "../record-dialect.js";
import type { RecordParams } from "../record-row.js";

/** The row that the statement returns where it has stored the record. */
export interface SavedRow {
  readonly saved: number;
}

/**
 * Inserts a record, or replaces the one with its id.
 *
 * @param onlyNewer - Whether to replace only a record with a smaller version, or an equal record.
 */
export function saveRecord(
  { toJson, toTime }: RecordDialect,
  onlyNewer: boolean,
): StatementBuilder<RecordParams, SavedRow> {
  return (db, parameter) =>
    db
      .insertInto("checkpoint_store")
      .values({
        id: parameter("id"),
        execution_id: parameter("executionId"),
        thread_id: parameter("threadId"),
        node_name: parameter("nodeName"),
        state: toJson(parameter("state")),
        metadata: toJson(parameter("metadata")),
        timestamp: toTime(parameter("timestamp")),
        version: parameter("version"),
      })
      .onConflict((conflict) => {
        const update = conflict.column("id").doUpdateSet((eb) => ({
          execution_id: eb.ref("excluded.execution_id"),
          thread_id: eb.ref("excluded.thread_id"),
          node_name: eb.ref("excluded.node_name"),
          state: sql<string>`${eb.ref("excluded.state")}`,
          metadata: sql<string | null>`${eb.ref("excluded.metadata")}`,
          timestamp: eb.ref("excluded.timestamp"),
          version: eb.ref("excluded.version"),
        }));
        if (!onlyNewer) return update;
        return update.where((eb) =>
          eb.or([
            eb("checkpoint_store.version", "<", eb.ref("excluded.version")),
            // The metadata has the ids of the execution and of the thread.
            eb.and([
              eb("checkpoint_store.version", "=", eb.ref("excluded.version")),
              eb("checkpoint_store.timestamp", "=", eb.ref("excluded.timestamp")),
              eb("checkpoint_store.node_name", "=", eb.ref("excluded.node_name")),
              eb("checkpoint_store.metadata", "is not distinct from", eb.ref("excluded.metadata")),
              eb("checkpoint_store.state", "=", eb.ref("excluded.state")),
            ]),
          ]),
        );
      })
      .returning(sql<number>`1`.as("saved"));
}
