import { sql } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import { hasVersions } from "./header-parts.js";
import { givenThreadId, type ThreadGroup, type ThreadNaming } from "./thread-groups.js";

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

const holdAll = /* @__PURE__ */ new StatementFamily<ThreadNaming, HoldParams, HeldRow>(
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
