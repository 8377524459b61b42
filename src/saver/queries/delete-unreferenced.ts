import { type Expression, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../model/keys.js";
import { eachChannelVersion } from "./header-parts.js";
import type { ThreadGroup, ThreadNaming } from "./thread-groups.js";

/** The values that are considered: those of whole threads, or of single namespaces. */
export type BlobScope = Pick<ThreadGroup<unknown>, "naming" | "threadId"> &
  ({ readonly threadIds: readonly string[] } | { readonly namespaces: readonly NamespaceKey[] });

/**
 * Deletes the values that no checkpoint references and that no referenced splice needs (C13). An earlier statement of
 * the transaction has to lock them. Where a header can't be read, nobody knows what it references, and the values of its namespace stay (C18).
 *
 * A `put` locks the stored values that it references. Postgres deletes a row that was only locked without evaluating
 * the condition again, so a single statement would delete values of a checkpoint that commits in the meantime. The
 * earlier statement waits for every such `put`, and this one sees their checkpoints.
 */
export function deleteUnreferenced(schema: string, scope: BlobScope): BoundStatement<unknown> {
  const kind = "threadIds" in scope ? "threads" : "namespaces";
  const { naming, threadId } = scope;
  const lists = "threadIds" in scope ? { ...scope, checkpointNss: [] } : columnsOf(scope.namespaces);
  return deletions.of({ kind, naming }).bind(schema, { ...lists, threadId });
}

function columnsOf(namespaces: readonly NamespaceKey[]): Omit<ScopeParams, "threadId"> {
  return {
    threadIds: namespaces.map(({ threadId }) => threadId),
    checkpointNss: namespaces.map(({ checkpointNs }) => checkpointNs),
  };
}

interface ScopeShape {
  readonly kind: "threads" | "namespaces";
  readonly naming: ThreadNaming;
}

interface ScopeParams {
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
}

const deletions = new StatementFamily<ScopeShape, ScopeParams, unknown>((shape) => (db, parameter) => {
  const isMeant = isWithin(shape, parameter);
  const threadId = shape.naming === "parameter" ? parameter("threadId") : sql.ref<string>("needed.thread_id");
  const isReferenced = isOneOf(selectReferences(db, isMeant));
  return withNeeded(db, sql<SqlBool>`${isMeant} and ${isReferenced} is true`, threadId)
    .deleteFrom("checkpoint_blobs")
    .where(isMeant)
    .where(sql<SqlBool>`${isReferenced} is not true`)
    .where(sql<SqlBool>`(thread_id, checkpoint_ns) not in (${selectUnreadable(db, isMeant)})`)
    .where((eb) => sql<SqlBool>`${isOneOf(eb.selectFrom("needed").select(KEY))} is not true`);
});

const KEY = ["thread_id", "checkpoint_ns", "channel", "version"] as const;

function selectReferences(db: QueryCreator<CheckpointDatabase>, isMeant: RawBuilder<SqlBool>) {
  return db
    .selectFrom("checkpoints as header")
    .innerJoinLateral(eachChannelVersion(sql`header.checkpoint -> 'channel_versions'`), (join) =>
      join.onTrue(),
    )
    .select(["header.thread_id", "header.checkpoint_ns", "entry.channel", "entry.version"])
    .where(isMeant);
}

/** The namespaces with a header whose versions are damaged. */
function selectUnreadable(db: QueryCreator<CheckpointDatabase>, isMeant: RawBuilder<SqlBool>) {
  return db
    .selectFrom("checkpoints as header")
    .select(["header.thread_id", "header.checkpoint_ns"])
    .where(isMeant)
    .where(
      sql<SqlBool>`(jsonb_typeof(header.checkpoint -> 'channel_versions') is distinct from 'object' or jsonb_path_exists(
        header.checkpoint, '$.channel_versions.* ? (@.type() != "string" && @.type() != "number")'))`,
    );
}

function isOneOf(keys: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`((thread_id, checkpoint_ns, channel, version) in (${keys}))`;
}

type WithNeeded = CheckpointDatabase & { needed: Record<(typeof KEY)[number], string> };

/**
 * The CTE `needed`: the keys of the values that splices with the condition refer to, directly or through other splices.
 *
 * @param isNeeding - About a row of `checkpoint_blobs`. Postgres evaluates it only for splices.
 * @param threadId - The thread of the current row of `needed`.
 */
function withNeeded(
  db: QueryCreator<CheckpointDatabase>,
  isNeeding: RawBuilder<SqlBool>,
  threadId: RawBuilder<string>,
): QueryCreator<WithNeeded> {
  return db.withRecursive("needed", (qb) =>
    qb
      .selectFrom(ABSENT)
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoint_blobs")
            .select(["thread_id", "checkpoint_ns", "channel", BASE.as("version")])
            .where(BASE, "is not", null)
            .where(isNeeding)
            // Keeps the subquery, in which Postgres looks for the column first.
            .offset(sql.lit(0))
            .as("splice"),
        (join) => join.onTrue(),
      )
      .select(["splice.thread_id", "splice.checkpoint_ns", "splice.channel"])
      .select(sql<string>`splice.version`.as("version"))
      .union((recursive) =>
        recursive
          .selectFrom("needed")
          .innerJoin(ABSENT, (join) => join.onTrue())
          .innerJoinLateral(
            (eb) =>
              eb
                .selectFrom("checkpoint_blobs as stored")
                .select(BASE.as("version"))
                .where("stored.thread_id", "=", threadId)
                .whereRef("stored.checkpoint_ns", "=", "needed.checkpoint_ns")
                .whereRef("stored.channel", "=", "needed.channel")
                .whereRef("stored.version", "=", "needed.version")
                // Makes Postgres look up each value by the index, whatever the statistics say.
                .limit(sql.lit(1))
                .as("splice"),
            (join) => join.onTrue(),
          )
          .where("splice.version", "is not", null)
          .select(["needed.thread_id", "needed.checkpoint_ns", "needed.channel"])
          .select(sql<string>`splice.version`.as("version")),
      ),
  );
}

/**
 * The column `base`, without the name of its table: where the tables are not migrated, Postgres takes that of
 * `ABSENT` from the outer query. So a shallow saver stores checkpoints there as any other saver does.
 */
const BASE = sql<string | null>`base`;
const ABSENT = sql<{ base: string | null }>`(select null::text as base)`.as<"absent">(sql`absent`);

function isWithin({ kind, naming }: ScopeShape, parameter: Parameter<ScopeParams>): RawBuilder<SqlBool> {
  const checkpointNss = sql`${parameter("checkpointNss")}::text[]`;
  if (naming === "parameter") {
    const isOfThread = sql<SqlBool>`thread_id = ${parameter("threadId")}`;
    if (kind === "threads") return isOfThread;
    return sql<SqlBool>`${isOfThread} and checkpoint_ns = any (${checkpointNss})`;
  }
  const threadIds = sql`${parameter("threadIds")}::text[]`;
  if (kind === "threads") return sql<SqlBool>`thread_id = any (${threadIds})`;
  return sql<SqlBool>`(thread_id, checkpoint_ns) in (select * from unnest(${threadIds}, ${checkpointNss}))`;
}
