import { sql } from "kysely";
import {
  insertWrites,
  changedSpecialIsReplaced,
  changedWriteIsReplaced,
  writeIsHeld,
  WRITE_COLUMNS,
  WRITE_TYPES,
} from "./inserts.js";
import { type RestoredWrite, RestoreStatements } from "./restored-rows.js";

interface GivenWrite {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  task_path: string;
  idx: number;
  channel: string;
  type: string | null;
  blob: Uint8Array;
}

/** The statements that restore rows of `checkpoint_writes`. */
export const restoreWrites = statementsWith(writeIsHeld);

/** The statements that bring the special writes of a checkpoint up to date besides. */
export const updateSpecialWrites = statementsWith(changedSpecialIsReplaced);

/** The statements that bring all given writes up to date. */
export const updateWrites = statementsWith(changedWriteIsReplaced);

function statementsWith(
  rule: typeof writeIsHeld | typeof changedWriteIsReplaced,
): RestoreStatements<RestoredWrite, GivenWrite> {
  return new RestoreStatements<RestoredWrite, GivenWrite>(WRITE_TYPES, {
    insert: (db, given) =>
      insertWrites(db, db.selectFrom(given).select(WRITE_COLUMNS), rule).returning(
        sql<number>`coalesce(octet_length(blob), 0)`.as("bytes"),
      ),
    selectDiffering: (db, given) =>
      db
        .selectFrom(given)
        .innerJoin("checkpoint_writes as stored", (join) =>
          join
            .onRef("stored.thread_id", "=", "given.thread_id")
            .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("stored.checkpoint_id", "=", "given.checkpoint_id")
            .onRef("stored.task_id", "=", "given.task_id")
            .onRef("stored.idx", "=", "given.idx"),
        )
        .where((eb) =>
          eb.or([
            eb("stored.task_path", "is distinct from", eb.ref("given.task_path")),
            eb("stored.channel", "is distinct from", eb.ref("given.channel")),
            eb("stored.type", "is distinct from", eb.ref("given.type")),
            eb("stored.blob", "is distinct from", eb.ref("given.blob")),
          ]),
        )
        .select(["given.thread_id", "given.checkpoint_ns"])
        .select((eb) => [
          eb.ref("given.checkpoint_id").as("checkpoint_id"),
          eb.ref("given.channel").as("channel"),
          sql<null>`null::text`.as("version"),
          eb.ref("given.task_id").as("task_id"),
          eb.ref("given.idx").as("idx"),
        ]),
  });
}
