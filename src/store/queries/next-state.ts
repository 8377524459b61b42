import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { EmbeddingStateRow } from "./embedding-state.js";

/** Reads for which model the new columns are, and their type. Their comment names the model. */
export function nextState(schema: string): BoundStatement<EmbeddingStateRow> {
  return statement.bind(schema, { schema });
}

const statement = /* @__PURE__ */ new Statement<{ readonly schema: string }, EmbeddingStateRow>(
  (db, parameter) => {
    const column = (value: string) => sql<string | null>`(
    select ${sql.raw(value)} from pg_catalog.pg_attribute
    where attrelid = to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors'))
      and attname = 'next_embedding' and not attisdropped
  )`;
    return db.selectNoFrom([
      column("col_description(attrelid, attnum)").as("model"),
      column("format_type(atttypid, atttypmod)").as("column_type"),
    ]);
  },
);
