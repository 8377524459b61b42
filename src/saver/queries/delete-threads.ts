import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statement.js";
import { eachChannelVersion } from "./header-parts.js";

/**
 * Removes threads with all of their namespaces, for one transaction: no reader sees them half gone.
 *
 * It takes two statements. The first waits for those who are just putting a checkpoint that follows one of these; only the
 * second sees which values it shares with them, and leaves these.
 */
export function deleteThreads(schema: string, threadIds: readonly string[]): BoundStatement<unknown>[] {
  return [deleteCheckpoints.bind(schema, { threadIds }), deleteBlobs.bind(schema, { threadIds })];
}

interface DeleteParams {
  readonly threadIds: readonly string[];
}

const deleteCheckpoints = /* @__PURE__ */ new Statement<DeleteParams, unknown>((db, parameter) => {
  const isMeant = isOneOf(parameter("threadIds"));
  return db
    .with("writes", (qb) => qb.deleteFrom("checkpoint_writes").where(isMeant))
    .deleteFrom("checkpoints")
    .where(isMeant);
});

const deleteBlobs = /* @__PURE__ */ new Statement<DeleteParams, unknown>((db, parameter) => {
  const isMeant = isOneOf(parameter("threadIds"));
  const shared = db
    .selectFrom("checkpoints as stored")
    .innerJoinLateral(eachChannelVersion(sql`stored.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .select(["stored.thread_id", "stored.checkpoint_ns", "entry.channel", "entry.version"])
    .where(isOneOf(parameter("threadIds")));
  return db
    .deleteFrom("checkpoint_blobs")
    .where(isMeant)
    .where(sql<SqlBool>`((thread_id, checkpoint_ns, channel, version) in (${shared})) is not true`);
});

function isOneOf(threadIds: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`thread_id = any (${threadIds}::text[])`;
}
