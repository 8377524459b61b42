import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import { hasVersions, rowMarkIs } from "./header-parts.js";
import { givenThreadId, type ThreadGroup, type ThreadNaming } from "./thread-groups.js";
import type { BlobRow } from "./checkpoint-rows.js";

/** A checkpoint that another one requires. */
export interface ParentKey extends CheckpointKey {
  /** The versions of channels that it must have, as JSON text. Default: none. */
  readonly requiredVersions?: string;
}

/** A stored checkpoint that has the required versions. */
export interface HeldRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly required_versions: string;
}

/**
 * Locks checkpoints until the transaction ends. Nobody can delete them before, so a later collection of orphaned
 * values sees what the transaction stores. Returns the checkpoints that are stored, and have the required versions.
 */
export function holdParents(
  schema: string,
  { naming, threadId, items: keys }: ThreadGroup<ParentKey>,
): BoundStatement<HeldRow> {
  return holdAll.of(naming).bind(schema, {
    threadId,
    threadIds: keys.map(({ threadId }) => threadId),
    checkpointNss: keys.map(({ checkpointNs }) => checkpointNs),
    checkpointIds: keys.map(({ checkpointId }) => checkpointId),
    requiredVersions: keys.map(({ requiredVersions = NO_VERSIONS }) => requiredVersions),
  });
}

/** Required by a checkpoint that references no value of its parent. */
export const NO_VERSIONS = "{}";

interface HoldParams {
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
  readonly requiredVersions: readonly string[];
}

const holdAll = new StatementFamily<ThreadNaming, HoldParams, HeldRow>(
  (naming) => (db, parameter) =>
    db
      .selectFrom("checkpoints as parent")
      .innerJoin(
        sql<HeldRow>`unnest(
        ${parameter("threadIds")}::text[],
        ${parameter("checkpointNss")}::text[],
        ${parameter("checkpointIds")}::text[],
        ${parameter("requiredVersions")}::text[]
      )`.as<"given">(sql`given(thread_id, checkpoint_ns, checkpoint_id, required_versions)`),
        (join) =>
          join
            .on("parent.thread_id", "=", givenThreadId(naming, parameter, "given.thread_id"))
            .onRef("given.checkpoint_ns", "=", "parent.checkpoint_ns")
            .onRef("given.checkpoint_id", "=", "parent.checkpoint_id"),
      )
      .select(["parent.thread_id", "parent.checkpoint_ns", "parent.checkpoint_id", "given.required_versions"])
      .where(hasVersions(sql.ref("parent.checkpoint"), sql.ref("given.required_versions")))
      // Every statement that locks several checkpoints uses this order (C2).
      .orderBy(sql`parent.thread_id collate "C"`)
      .orderBy(sql`parent.checkpoint_ns collate "C"`)
      .orderBy(sql`parent.checkpoint_id collate "C"`)
      .forKeyShare("parent"),
);

/** A stored value that a splice refers to. */
export interface HeldBase {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly version: string;
}

/** A value by its key. */
export interface BaseKey extends Pick<BlobRow, "threadId" | "checkpointNs" | "channel"> {
  readonly version: string;
  /** The mark of the row; see `rowMarkOf`. */
  readonly mark: string;
}

/**
 * Locks the bases of splices until the transaction ends, as {@link holdParents} locks parents (C13). Returns those that are stored, and
 * hold what the writer knows.
 */
export function holdBases(
  schema: string,
  { naming, threadId, items: bases }: ThreadGroup<BaseKey>,
): BoundStatement<HeldBase> {
  return holdAllBases.of(naming).bind(schema, {
    threadId,
    threadIds: bases.map((base) => base.threadId),
    checkpointNss: bases.map(({ checkpointNs }) => checkpointNs),
    channels: bases.map(({ channel }) => channel),
    versions: bases.map(({ version }) => version),
    marks: bases.map(({ mark }) => mark),
  });
}

interface HoldBasesParams {
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  readonly channels: readonly string[];
  readonly versions: readonly string[];
  readonly marks: readonly string[];
}

const holdAllBases = new StatementFamily<ThreadNaming, HoldBasesParams, HeldBase>(
  (naming) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs as stored")
      .innerJoin(
        sql<HeldBase & { mark: string }>`unnest(
          ${parameter("threadIds")}::text[], ${parameter("checkpointNss")}::text[], ${parameter("channels")}::text[],
          ${parameter("versions")}::text[], ${parameter("marks")}::text[]
        )`.as<"given">(sql`given(thread_id, checkpoint_ns, channel, version, mark)`),
        (join) =>
          join
            .on("stored.thread_id", "=", givenThreadId(naming, parameter, "given.thread_id"))
            .onRef("given.checkpoint_ns", "=", "stored.checkpoint_ns")
            .onRef("given.channel", "=", "stored.channel")
            .onRef("given.version", "=", "stored.version"),
      )
      .where(rowMarkIs("given.mark"))
      .select(["stored.thread_id", "stored.checkpoint_ns", "stored.channel", "stored.version"])
      // Every statement that locks several values uses this order (C2).
      .orderBy(sql`stored.thread_id collate "C"`)
      .orderBy(sql`stored.checkpoint_ns collate "C"`)
      .orderBy(sql`stored.channel collate "C"`)
      .orderBy(sql`stored.version collate "C"`)
      .forKeyShare("stored"),
);
