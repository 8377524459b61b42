import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { BlobRow } from "./checkpoint-rows.js";
import { blobIsHeld } from "./conflict-rules.js";

/** A value that was stored. */
export interface StoredBlobRow {
  readonly channel: string;
}

/**
 * Stores one value. It returns no row where the value is stored already. The bytes are a parameter of their own,
 * which every driver sends in binary; an array may be sent as text.
 */
export function putLongBlob(schema: string, row: BlobRow): BoundStatement<StoredBlobRow> {
  return putOne.bind(schema, row);
}

const putOne = /* @__PURE__ */ new Statement<BlobRow, StoredBlobRow>((db, parameter) =>
  db
    .insertInto("checkpoint_blobs")
    .values({
      thread_id: parameter("threadId"),
      checkpoint_ns: parameter("checkpointNs"),
      channel: parameter("channel"),
      version: parameter("version"),
      type: parameter("type"),
      blob: parameter("blob"),
    })
    .onConflict(blobIsHeld)
    .returning("channel"),
);
