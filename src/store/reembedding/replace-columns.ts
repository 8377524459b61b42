import { CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { hasOneConnection } from "../../db/kysely/plain-kysely.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { type BoundStatement, statementName } from "../../db/statements/statement.js";
import type { SendStatement } from "../../db/statements/transaction-steps.js";
import { inLockedTransaction } from "../../migrations/in-locked-transaction.js";
import { VECTOR_INDEX, vectorIndexOn } from "../../migrations/vector-index.js";
import { kindOf } from "../vectors/embedding-check.js";
import { SEEN } from "../embeddings/item-texts.js";
import type { VectorSettings } from "../embeddings/vector-settings.js";
import type { EmbeddingStateRow } from "../queries/embedding-state.js";
import { nextState } from "../queries/next-state.js";
import type { StoreCall } from "../store-call.js";

/** How long the new columns wait for a lock of the table, in milliseconds. */
const LOCK_TIMEOUT_MS = 60_000;
const NEXT_INDEX = "store_vectors_next_idx";

/** Adds the new columns, unless an interrupted call has left them. Those of another model are dropped. */
export async function addNextColumns(call: StoreCall, { model, layout }: VectorSettings): Promise<void> {
  const { database, schema } = call;
  const add = async (db: Kysely<CheckpointDatabase>): Promise<void> => {
    const state = nextState(schema);
    const query: CompiledQuery<EmbeddingStateRow> = CompiledQuery.raw(state.sql, [...state.parameters]);
    const { rows } = await db.executeQuery(query);
    const stored = kindOf(rows[0]);
    if (stored.model === model && stored.dims === layout.dims && stored.type === layout.type) return;
    const table = sql.id(schema, "store_vectors");
    await sql`alter table ${table}
      drop column if exists next_embedding, drop column if exists next_hash, drop column if exists next_version`.execute(
      db,
    );
    await sql`alter table ${table}
      add column next_embedding ${sql.raw(layout.type)}(${sql.lit(layout.dims)}),
      add column next_hash bytea, add column next_version bigint`.execute(db);
    await sql`comment on column ${sql.id(schema, "store_vectors", "next_embedding")} is ${sql.lit(model)}`.execute(
      db,
    );
  };
  await inLockedTransaction(database.kysely, schema, LOCK_TIMEOUT_MS, add, "Call `reembed` again later");
}

/** Builds the index of the new vectors: beside live writers, where the database has several connections. */
export async function buildNextIndex(call: StoreCall, { layout }: VectorSettings): Promise<void> {
  const { database, schema, signal } = call;
  const db = signal === undefined ? database.kysely : (database.kyselyUntil?.(signal) ?? database.kysely);
  const concurrently = hasOneConnection(db) ? sql`` : sql`concurrently`;
  try {
    // One that an interrupted call has left may be broken, or of another kind.
    await sql`drop index ${concurrently} if exists ${sql.id(schema, NEXT_INDEX)}`.execute(db);
    if (layout.index.kind === "flat") return;
    await sql`create index ${concurrently} ${sql.id(NEXT_INDEX)} on ${sql.id(schema, "store_vectors")}
      ${vectorIndexOn("next_embedding", layout)}`.execute(db);
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Locks out every writer, so that the new vectors stay complete. Searches wait too, until the end of the transaction. */
export async function lockOutWriters({ database, schema }: StoreCall, send: SendStatement): Promise<void> {
  const tables: [string, RawBuilder<unknown>][] = [
    // First the table that writes of vectors use first.
    ["store_vectors", sql`access exclusive`],
    ["store", sql`share row exclusive`],
  ];
  for (const [table, mode] of tables) {
    await send(toStatement(database.kysely, sql`lock table ${sql.id(schema, table)} in ${mode} mode`));
  }
}

/** Replaces the columns that searches use by the new ones, and names their model. */
export async function replaceColumns(
  { database, schema }: StoreCall,
  { model, layout }: VectorSettings,
  send: SendStatement,
): Promise<void> {
  const table = sql.id(schema, "store_vectors");
  const steps = [
    sql`delete from ${table} where next_version is null or field_name = ${SEEN}`,
    sql`alter table ${table} drop column embedding, drop column text_hash, drop column next_version`,
    sql`alter table ${table} rename column next_embedding to embedding`,
    sql`alter table ${table} rename column next_hash to text_hash`,
    sql`comment on column ${sql.id(schema, "store_vectors", "embedding")} is null`,
    ...(layout.index.kind === "flat"
      ? []
      : [sql`alter index ${sql.id(schema, NEXT_INDEX)} rename to ${sql.id(VECTOR_INDEX)}`]),
    sql`insert into ${sql.id(schema, "store_embedding_model")} (model) values (${model})
      on conflict (single) do update set model = excluded.model`,
  ];
  for (const step of steps) await send(toStatement(database.kysely, step));
}

function toStatement(db: Kysely<CheckpointDatabase>, query: RawBuilder<unknown>): BoundStatement<unknown> {
  const { sql: text, parameters } = query.compile(db);
  return { name: statementName(text), sql: text, parameters, writes: true };
}
