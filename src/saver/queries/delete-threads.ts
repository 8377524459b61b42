import { type RawBuilder, sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statement.js";
import { collectUnreferenced } from "./collect-unreferenced.js";

/**
 * Deletes threads with all of their namespaces, in one transaction: no reader sees them half deleted.
 *
 * The first statement waits for every `put` whose parent is among the checkpoints. The others keep the values that the
 * checkpoint of a concurrent `put` references.
 */
export function deleteThreads(schema: string, threadIds: readonly string[]): BoundStatement<unknown>[] {
  return [deleteCheckpoints.bind(schema, { threadIds }), ...collectUnreferenced(schema, { threadIds })];
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

function isOneOf(threadIds: RawBuilder<readonly string[]>): RawBuilder<SqlBool> {
  return sql<SqlBool>`thread_id = any (${threadIds}::text[])`;
}
