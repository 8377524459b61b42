import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** What the catalog says about pgvector and the index of embeddings. */
export interface VectorIndexRow {
  /** The version of pgvector, such as `0.8.1`. */
  readonly version: string | null;
  /** The access methods and operator classes of the valid indexes of embeddings, such as `hnsw vector_cosine_ops`, in lines. */
  readonly indexes: string;
  /** Whether row-level security hides rows from this role. */
  readonly hides_rows: boolean;
}

/** Reads what the catalog says about pgvector and the index of embeddings. */
export function vectorIndexState(schema: string): BoundStatement<VectorIndexRow> {
  return statement.bind(schema, { schema });
}

const statement = /* @__PURE__ */ new Statement<{ readonly schema: string }, VectorIndexRow>(
  (db, parameter) =>
    db.selectNoFrom([
      sql<boolean>`row_security_active(
      to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors'))::oid
    )`.as("hides_rows"),
      sql<string | null>`(select extversion from pg_catalog.pg_extension where extname = 'vector')`.as(
        "version",
      ),
      sql<string>`(
      select coalesce(string_agg(amname || ' ' || opcname, E'\\n'), '')
      from pg_catalog.pg_index
      join pg_catalog.pg_attribute on attrelid = indrelid and attnum = any (indkey::int2[]) and attname = 'embedding'
      join pg_catalog.pg_opclass on pg_opclass.oid = indclass[0]
      join pg_catalog.pg_am on pg_am.oid = opcmethod
      where indrelid = to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors')) and indisvalid
    )`.as("indexes"),
    ]),
);
