import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { BlobRow } from "./checkpoint-rows.js";

/** A stored value that a splice refers to. */
export interface HeldBase {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** A value of a thread, by its key. */
export interface BaseKey extends Pick<BlobRow, "threadId" | "checkpointNs" | "channel"> {
  readonly version: string;
}

/**
 * Locks the bases of splices of one thread until the transaction ends, as `holdParents` locks parents (C13). Returns those that are
 * stored.
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
  });
}

interface HoldParams {
  readonly threadId: string;
  readonly checkpointNss: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
}

const hold = /* @__PURE__ */ new Statement<HoldParams, HeldBase>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs as base")
    .innerJoin(
      sql<HeldBase>`unnest(
        ${parameter("checkpointNss")}::text[], ${parameter("channels")}::text[], ${parameter("versions")}::text[]
      )`.as<"given">(sql`given(checkpoint_ns, channel, version)`),
      (join) =>
        join
          .on("base.thread_id", "=", parameter("threadId"))
          .onRef("given.checkpoint_ns", "=", "base.checkpoint_ns")
          .onRef("given.channel", "=", "base.channel")
          .onRef("given.version", "=", "base.version"),
    )
    .select(["base.checkpoint_ns", "base.channel", "base.version"])
    // Every statement that locks several values uses this order (C2).
    .orderBy(sql`base.checkpoint_ns collate "C"`)
    .orderBy(sql`base.channel collate "C"`)
    .orderBy(sql`base.version collate "C"`)
    .forKeyShare("base"),
);
