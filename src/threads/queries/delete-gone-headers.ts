import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type CopyParams, targetOnlyHeaders } from "./copied-headers.js";
import type { CopiedThreads } from "./copy-rows.js";

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
