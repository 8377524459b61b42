import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { rowMarkIs } from "../queries/row-mark-is.js";
import type { BlobRow } from "../queries/checkpoint-rows.js";

/** A stored value that a splice refers to. */
export interface HeldBase {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** A value of a thread, by its key. */
export interface BaseKey extends Pick<BlobRow, "threadId" | "checkpointNs" | "channel"> {
  readonly version: string;
  /** The mark of the row; see `rowMarkOf`. */
  readonly mark: string;
}

/**
 * Locks the bases of splices of one thread until the transaction ends, as `holdParents` locks parents (C13). Returns those that are
 * stored, and hold what the writer knows.
 */
export function holdBases(
  schema: string,
  threadId: string,
  bases: readonly BaseKey[],
): BoundStatement<HeldBase> {
  return hold.bind(schema, {
    threadId,
    checkpointNss: bases.map(({ checkpointNs }) => checkpointNs),
    channels: bases.map(({ channel }) => channel),
    versions: bases.map(({ version }) => version),
    marks: bases.map(({ mark }) => mark),
  });
}

interface HoldParams {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
  readonly marks: readonly string[];
}

const hold = /* @__PURE__ */ new Statement<HoldParams, HeldBase>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs as stored")
    .innerJoin(
      sql<HeldBase & { mark: string }>`unnest(
        ${parameter("checkpointNss")}::text[], ${parameter("channels")}::text[], ${parameter("versions")}::text[],
        ${parameter("marks")}::text[]
      )`.as<"given">(sql`given(checkpoint_ns, channel, version, mark)`),
      (join) =>
        join
          .on("stored.thread_id", "=", parameter("threadId"))
          .onRef("given.checkpoint_ns", "=", "stored.checkpoint_ns")
          .onRef("given.channel", "=", "stored.channel")
          .onRef("given.version", "=", "stored.version"),
    )
    .where(rowMarkIs("given.mark"))
    .select(["stored.checkpoint_ns", "stored.channel", "stored.version"])
    // Every statement that locks several values uses this order (C2).
    .orderBy(sql`stored.checkpoint_ns collate "C"`)
    .orderBy(sql`stored.channel collate "C"`)
    .orderBy(sql`stored.version collate "C"`)
    .forKeyShare("stored"),
);
