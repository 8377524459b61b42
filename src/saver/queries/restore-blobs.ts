import { sql } from "kysely";
import { insertBlobs, blobIsHeld, blobIsReplaced, SPLICED_BLOB_COLUMNS, BLOB_TYPES } from "./inserts.js";
import { type RestoredBlob, RestoreStatements } from "./restored-rows.js";

interface GivenBlob {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
  type: string;
  blob: Uint8Array | null;
  base: string | null;
  whole_bytes: number | null;
}

/** The statements that restore rows of `checkpoint_blobs`. */
export const restoreBlobs = statementsWith(blobIsHeld);

/** The statements that put rows in the place of stored ones. */
export const replaceBlobs = statementsWith(blobIsReplaced);

function statementsWith(
  rule: typeof blobIsHeld | typeof blobIsReplaced,
): RestoreStatements<RestoredBlob, GivenBlob> {
  return new RestoreStatements<RestoredBlob, GivenBlob>(BLOB_TYPES, {
    insert: (db, given) =>
      insertBlobs(
        db,
        SPLICED_BLOB_COLUMNS,
        db.selectFrom(given).select(SPLICED_BLOB_COLUMNS),
        rule,
      ).returning(sql<number>`coalesce(octet_length(blob), 0)`.as("bytes")),
    selectDiffering: (db, given) =>
      db
        .selectFrom(given)
        .innerJoin("checkpoint_blobs as stored", (join) =>
          join
            .onRef("stored.thread_id", "=", "given.thread_id")
            .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("stored.channel", "=", "given.channel")
            .onRef("stored.version", "=", "given.version"),
        )
        .where((eb) =>
          eb.or([
            eb("stored.type", "is distinct from", eb.ref("given.type")),
            eb("stored.blob", "is distinct from", eb.ref("given.blob")),
            eb("stored.base", "is distinct from", eb.ref("given.base")),
            eb("stored.whole_bytes", "is distinct from", eb.ref("given.whole_bytes")),
          ]),
        )
        .select(["given.thread_id", "given.checkpoint_ns"])
        .select((eb) => [
          sql<null>`null::text`.as("checkpoint_id"),
          eb.ref("given.channel").as("channel"),
          eb.ref("given.version").as("version"),
          sql<null>`null::text`.as("task_id"),
          sql<null>`null::integer`.as("idx"),
        ]),
  });
}
