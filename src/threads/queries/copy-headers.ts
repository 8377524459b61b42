import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement, StatementFamily } from "../../db/statements/statement.js";
import { type CopyParams, type CopyShape, insertCopiedHeaders, targetOnlyHeaders } from "./copied-headers.js";
import type { CopiedThreads } from "./copy-thread-rows.js";

/** Copies the checkpoints of a thread, without their values. The rows go from node to node through the coordinator. */
export function copyHeaders(
  schema: string,
  { source, target, reencode }: CopiedThreads,
): BoundStatement<unknown> {
  return copies.of({ textVersions: reencode }).bind(schema, { source, target });
}

const copies = /* @__PURE__ */ new StatementFamily<CopyShape, CopyParams, unknown>(
  ({ textVersions }) =>
    (db, parameter) =>
      insertCopiedHeaders(db, parameter, { condition: sql<SqlBool>`true`, textVersions }),
);

/** Deletes copied checkpoints that somebody has deleted from the source meanwhile. */
export function deleteGoneHeaders(
  schema: string,
  { source, target }: CopiedThreads,
): BoundStatement<unknown> {
  return deletions.bind(schema, { source, target });
}

const deletions = /* @__PURE__ */ new Statement<CopyParams, unknown>((db, parameter) =>
  db
    .deleteFrom("checkpoints")
    .where("thread_id", "=", parameter("target"))
    .where(sql<SqlBool>`(checkpoint_ns, checkpoint_id) in (${targetOnlyHeaders(db, parameter)})`),
);
