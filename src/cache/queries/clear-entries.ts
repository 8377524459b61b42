import { sql, type SqlBool } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { TextRange } from "../model/entry.js";

const NOTHING: TextRange = { from: "", beyond: "" };

/** Deletes the entries of some namespaces, and those of a range of namespaces. It locks them in the order of their places (C2). */
export function clearEntries(
  schema: string,
  namespaces: readonly string[],
  { from, beyond }: TextRange = NOTHING,
): BoundStatement<unknown> {
  return statement.bind(schema, { namespaces, from, beyond });
}

interface ClearParams extends TextRange {
  readonly namespaces: readonly string[];
}

const statement = /* @__PURE__ */ new Statement<ClearParams, unknown>((db, parameter) =>
  db
    .with("matching", (qb) =>
      qb
        .selectFrom("cache_entries")
        .where(
          sql<SqlBool>`(namespace = any (${parameter("namespaces")}::text[])
            or (namespace >= ${parameter("from")} and namespace < ${parameter("beyond")}))`,
        )
        .orderBy("namespace")
        .orderBy("key")
        .forUpdate()
        .select(["namespace", "key"]),
    )
    .deleteFrom("cache_entries")
    .using("matching")
    .whereRef("cache_entries.namespace", "=", "matching.namespace")
    .whereRef("cache_entries.key", "=", "matching.key"),
);
