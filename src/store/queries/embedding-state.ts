import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import {
  type BoundStatement,
  type Parameter,
  Statement,
  StatementFamily,
} from "../../db/statements/statement.js";

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
  /** Whether the rest of the transaction only compares vectors, so that its statements need no plan for the values of a call. */
  readonly isPlain: boolean;
}

/**
 * Reads what the tables say about the embeddings. The transaction then has a lock on the table, so that `reembed()` can't replace the
 * embeddings before it ends.
 *
 * @param search - Sets how the rest of the transaction searches the index. With an iterative scan, an index of embeddings goes on until
 *   enough rows fulfil a filter.
 */
export function embeddingState(schema: string, search?: IndexSearch): BoundStatement<EmbeddingStateRow> {
  const { kind = "flat", effort = 0, isPlain = false } = search ?? {};
  return statements.of({ kind, isPlain }).bind(schema, { schema, effort: String(effort) });
}

interface StateParams {
  readonly schema: string;
  readonly effort: string;
}

const SETTINGS = {
  hnsw: ["hnsw.ef_search", "hnsw.iterative_scan"],
  ivfflat: ["ivfflat.probes", "ivfflat.iterative_scan"],
} as const;

type StateShape = Pick<IndexSearch, "kind" | "isPlain">;

const statements = new StatementFamily<StateShape, StateParams, EmbeddingStateRow>(
  ({ kind, isPlain }) =>
    (db, parameter) => {
      const state = db.selectNoFrom((eb) => [
        // First. It reads nothing, but locks the table until the end of the transaction.
        eb.selectFrom("store_vectors").select("key").limit(sql.lit(0)).as("locked"),
        eb.selectFrom("store_embedding_model").select("model").as("model"),
        columnType(parameter("schema")).as("column_type"),
      ]);
      if (kind === "flat") return state;
      const [effort, iterativeScan] = SETTINGS[kind];
      return state.select([
        ...(isPlain
          ? [sql`set_config('plan_cache_mode', 'force_generic_plan', true)`.as("planned_once")]
          : []),
        sql`set_config(${sql.lit(effort)}, ${parameter("effort")}, true)`.as("effort"),
        sql`set_config(${sql.lit(iterativeScan)}, 'relaxed_order', true)`.as("iterative_scan"),
        // Comparing with every vector seems so expensive that Postgres would compile the search, although it hardly ever does that.
        sql`set_config('jit', 'off', true)`.as("jit"),
      ]);
    },
);

/** The embeddings that a store knows. */
export interface KnownEmbeddings {
  readonly schema: string;
  readonly model: string;
  /** The type of the column, such as `vector(384)`. */
  readonly columnType: string;
}

/** The SQLSTATE of a statement that {@link refuse} has failed. No other statement of a store reads a date. */
export const REFUSED_STATE = "22007";

/**
 * A condition that holds, or fails the statement with a reason: what was sent together with it is undone. SQL has no function that only
 * throws.
 */
export function refuse(unless: RawBuilder<SqlBool>, reason: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(case when ${unless} then 'infinity' else ${sql.lit(reason)} end)::date = 'infinity'`;
}

/**
 * Begins a statement that writes items: it fails where other embeddings have replaced those that the store knows. Before it locks an
 * item, it locks the table of vectors as {@link embeddingState} does, in the order of `reembed()`.
 *
 * @returns The statement with a CTE `embeddings`, whose column `are_known` the write has to ask for.
 */
export function refusingOthers(db: QueryCreator<LibraryDatabase>, parameter: Parameter<KnownEmbeddings>) {
  return db.with(
    (cte) => cte("embeddings").materialized(),
    (qb) =>
      qb
        .selectFrom(
          qb
            .selectNoFrom((eb) => [
              eb.selectFrom("store_vectors").select("key").limit(sql.lit(0)).as("locked"),
              eb.selectFrom("store_embedding_model").select("model").as("model"),
              // The type has the schema of the extension before it, where that is not in the search path.
              sql<string>`'.' || ${columnType(parameter("schema"))}`.as("column_type"),
            ])
            .as("state"),
        )
        .select(
          refuse(
            sql`state.model = ${parameter("model")}::text and state.column_type like '%.' || ${parameter("columnType")}::text`,
            "other embeddings have replaced those of the store",
          ).as("are_known"),
        ),
  );
}

function columnType(schema: RawBuilder<string>): RawBuilder<string | null> {
  return sql<string | null>`(
    select format_type(atttypid, atttypmod) from pg_catalog.pg_attribute
    where attrelid = to_regclass(format('%I.%I', ${schema}::text, 'store_vectors'))
      and attname = 'embedding' and not attisdropped
  )`;
}

/** Records the model of the embeddings, unless one is recorded already. */
export function claimModel(schema: string, model: string): BoundStatement<unknown> {
  return claims.bind(schema, { model });
}

const claims = new Statement<{ readonly model: string }, unknown>((db, parameter) =>
  db
    .insertInto("store_embedding_model")
    .values({ model: parameter("model") })
    .onConflict((conflict) => conflict.doNothing()),
);

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
  return indexStates.bind(schema, { schema });
}

const indexStates = new Statement<{ readonly schema: string }, VectorIndexRow>((db, parameter) =>
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
