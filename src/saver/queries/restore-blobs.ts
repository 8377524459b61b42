import { sql } from "kysely";
import { blobIsHeld } from "./conflict-rules.js";
import { SPLICED_BLOB_COLUMNS } from "./inserted-columns.js";
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
export const restoreBlobs = /* @__PURE__ */ new RestoreStatements<RestoredBlob, GivenBlob>(
  {
    thread_id: "text",
    checkpoint_ns: "text",
    channel: "text",
    version: "text",
    type: "text",
    blob: "bytea",
    base: "text",
    whole_bytes: "integer",
  },
  {
    insert: (db, given) =>
      db
        .insertInto("checkpoint_blobs")
        .columns(SPLICED_BLOB_COLUMNS)
        .expression((eb) => eb.selectFrom(given).select(SPLICED_BLOB_COLUMNS))
        .onConflict(blobIsHeld)
        .returning(sql<number>`coalesce(octet_length(blob), 0)`.as("bytes")),
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
          ]),
        )
        .select(["given.thread_id", "given.checkpoint_ns"])
        .select((eb) => [sql<null>`null::text`.as("checkpoint_id"), eb.ref("given.channel").as("channel")]),
  },
);
