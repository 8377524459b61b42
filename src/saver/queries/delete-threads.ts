import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statement.js";

/** Removes threads with all of their namespaces, in one statement. */
export function deleteThreads(schema: string, threadIds: readonly string[]): BoundStatement<unknown> {
  return deleteAll.bind(schema, { threadIds });
}

interface DeleteParams {
  readonly threadIds: readonly string[];
}

const deleteAll = /* @__PURE__ */ new Statement<DeleteParams, unknown>((db, parameter) => {
  const isMeant = isOneOf(parameter("threadIds"));
  return db
    .with("blobs", (qb) => qb.deleteFrom("checkpoint_blobs").where(isMeant))
    .with("writes", (qb) => qb.deleteFrom("checkpoint_writes").where(isMeant))
    .deleteFrom("checkpoints")
    .where(isMeant);
});

function isOneOf(threadIds: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`thread_id = any (${threadIds}::text[])`;
}
