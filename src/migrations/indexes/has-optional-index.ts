import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { OPTIONAL_INDEXES, type OptionalIndex } from "./optional-index.js";

interface IndexParams {
  readonly schema: string;
  readonly names: readonly string[];
}

/** Whether an optional index is there, in all of its tables. It reads only the catalog. */
export async function hasOptionalIndex(call: CallContext, index: OptionalIndex): Promise<boolean> {
  // The catalog has no row-level security.
  const policy = { ...call.policy, rowSecurity: undefined };
  const names = OPTIONAL_INDEXES[index].map(({ name }) => name);
  const rows = await runStatement({ ...call, policy }, indexes, { schema: call.schema, names });
  return rows.length === names.length;
}

const indexes = new Statement<IndexParams, { readonly is_valid: boolean }>((db, parameter) =>
  db
    .selectFrom(sql<{ indexrelid: number; indisvalid: boolean }>`pg_catalog.pg_index`.as<"index">(sql`index`))
    .innerJoin(
      sql<{ oid: number; relname: string; relnamespace: number }>`pg_catalog.pg_class`.as<"relation">(
        sql`relation`,
      ),
      "relation.oid",
      "index.indexrelid",
    )
    .innerJoin(
      sql<{ oid: number; nspname: string }>`pg_catalog.pg_namespace`.as<"namespace">(sql`namespace`),
      "namespace.oid",
      "relation.relnamespace",
    )
    .select("index.indisvalid as is_valid")
    .where("namespace.nspname", "=", parameter("schema"))
    .where(sql<boolean>`relation.relname = any (${parameter("names")}::text[])`)
    .where("index.indisvalid", "=", sql.lit(true)),
);
