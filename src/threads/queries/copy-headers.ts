import { sql, type SqlBool } from "kysely";
import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { type CopyParams, type CopyShape, insertCopiedHeaders } from "./copied-headers.js";
import type { CopiedThreads } from "./copy-rows.js";

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
