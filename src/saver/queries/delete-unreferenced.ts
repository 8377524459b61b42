import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../model/checkpoint-key.js";
import { eachChannelVersion } from "./header-parts.js";

/** The values that are considered: those of whole threads, or of single namespaces. */
export type BlobScope =
  { readonly threadIds: readonly string[] } | { readonly namespaces: readonly NamespaceKey[] };

/**
 * Deletes the values that no checkpoint references. An earlier statement of the transaction has to lock them.
 *
 * A `put` locks the stored values that it references. Postgres deletes a row that was only locked without evaluating
 * the condition again, so a single statement would delete values of a checkpoint that commits in the meantime. The
 * earlier statement waits for every such `put`, and this one sees their checkpoints.
 */
export function deleteUnreferenced(schema: string, scope: BlobScope): BoundStatement<unknown> {
  const kind = "threadIds" in scope ? "threads" : "namespaces";
  const params = "threadIds" in scope ? { ...scope, checkpointNss: [] } : columnsOf(scope.namespaces);
  return deletions.of(kind).bind(schema, params);
}

function columnsOf(namespaces: readonly NamespaceKey[]): ScopeParams {
  return {
    threadIds: namespaces.map(({ threadId }) => threadId),
    checkpointNss: namespaces.map(({ checkpointNs }) => checkpointNs),
  };
}

type ScopeKind = "threads" | "namespaces";

interface ScopeParams {
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
}

const deletions = /* @__PURE__ */ new StatementFamily<ScopeKind, ScopeParams, unknown>(
  (kind) => (db, parameter) =>
    db
      .deleteFrom("checkpoint_blobs")
      .where(isWithin(kind, parameter("threadIds"), parameter("checkpointNss")))
      .where(isUnreferenced(db, isWithin(kind, parameter("threadIds"), parameter("checkpointNss")))),
);

function isUnreferenced(
  db: QueryCreator<CheckpointDatabase>,
  isMeant: RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  const references = db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .select(["header.thread_id", "header.checkpoint_ns", "entry.channel", "entry.version"])
    .where(isMeant);
  return sql<SqlBool>`((thread_id, checkpoint_ns, channel, version) in (${references})) is not true`;
}

function isWithin(
  kind: ScopeKind,
  threadIds: RawBuilder<readonly string[]>,
  checkpointNss: RawBuilder<readonly string[]>,
): RawBuilder<SqlBool> {
  if (kind === "threads") return sql<SqlBool>`thread_id = any (${threadIds}::text[])`;
  return sql<SqlBool>`(thread_id, checkpoint_ns) in (
    select * from unnest(${threadIds}::text[], ${checkpointNss}::text[]))`;
}
