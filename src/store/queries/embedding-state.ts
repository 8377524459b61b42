import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";

/** What the tables say about the embeddings. */
export interface EmbeddingStateRow {
  /** The name of the model. `null` if no store has named one yet. */
  readonly model: string | null;
  /** The type of the column, such as `vector(384)`. */
  readonly column_type: string | null;
}

/** How an index of embeddings is searched. */
export interface IndexSearch {
  readonly kind: "hnsw" | "ivfflat" | "flat";
  /** How many candidates or lists the index considers at least. */
  readonly effort: number;
}

/**
 * Reads what the tables say about the embeddings. The transaction then has a lock on the table, so that `reembed()` can't replace the
 * embeddings before it ends.
 *
 * @param search - Sets how the rest of the transaction searches the index. With an iterative scan, an index of embeddings goes on until
 *   enough rows fulfil a filter.
 */
export function embeddingState(schema: string, search?: IndexSearch): BoundStatement<EmbeddingStateRow> {
  return statements.of(search?.kind ?? "flat").bind(schema, { schema, effort: String(search?.effort ?? 0) });
}

interface StateParams {
  readonly schema: string;
  readonly effort: string;
}

const SETTINGS = {
  hnsw: ["hnsw.ef_search", "hnsw.iterative_scan"],
  ivfflat: ["ivfflat.probes", "ivfflat.iterative_scan"],
} as const;

const statements = /* @__PURE__ */ new StatementFamily<IndexSearch["kind"], StateParams, EmbeddingStateRow>(
  (kind) => (db, parameter) => {
    const state = db.selectNoFrom((eb) => [
      eb.selectFrom("store_embedding_model").select("model").as("model"),
      sql<string | null>`(
        select format_type(atttypid, atttypmod) from pg_catalog.pg_attribute
        where attrelid = to_regclass(format('%I.%I', ${parameter("schema")}::text, 'store_vectors'))
          and attname = 'embedding' and not attisdropped
      )`.as("column_type"),
      // Reads nothing, but locks the table until the end of the transaction.
      eb.selectFrom("store_vectors").select("key").limit(0).as("locked"),
    ]);
    if (kind === "flat") return state;
    const [effort, iterativeScan] = SETTINGS[kind];
    return state.select([
      sql`set_config(${sql.lit(effort)}, ${parameter("effort")}, true)`.as("effort"),
      sql`set_config(${sql.lit(iterativeScan)}, 'relaxed_order', true)`.as("iterative_scan"),
    ]);
  },
);

/** Records the model of the embeddings, unless one is recorded already. */
export function claimModel(schema: string, model: string): BoundStatement<unknown> {
  return claims.bind(schema, { model });
}

const claims = /* @__PURE__ */ new Statement<{ readonly model: string }, unknown>((db, parameter) =>
  db
    .insertInto("store_embedding_model")
    .values({ model: parameter("model") })
    .onConflict((conflict) => conflict.doNothing()),
);
