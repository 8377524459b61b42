import { type BoundStatement, Statement } from "../../db/statement.js";
import type { BlobRow } from "./checkpoint-rows.js";
import { blobStays } from "./conflict-rules.js";

/** Stores one value. Its bytes are a parameter of their own, which every driver sends as they are; an array may not be. */
export function putLongBlob(schema: string, row: BlobRow): BoundStatement<unknown> {
  return putOne.bind(schema, row);
}

const putOne = /* @__PURE__ */ new Statement<BlobRow, unknown>((db, parameter) =>
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
    .onConflict(blobStays),
);
