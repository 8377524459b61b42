import { growingPauses, retry } from "../../db/async/retry.js";
import { withinTime } from "../../db/async/within-time.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { isLockTimeout } from "../../db/statements/lock-timeout.js";
import { inOneTransaction } from "../../db/statements/run-statement.js";
import { CheckpointError, InvalidConfigError } from "../../errors/index.js";
import { operatorClass, VECTOR_INDEX, vectorIndexOn } from "../../migrations/vector-layout.js";
import { checkEmbeddings, kindOf, refuseMismatch } from "./embedding-check.js";
import type { VectorSettings } from "./embed-texts.js";
import { embeddingState, vectorIndexState, type EmbeddingStateRow } from "../queries/embedding-state.js";
import type { ItemKey } from "../queries/item-rows.js";
import { countUnembedded, selectUnembedded, type UnembeddedRow, nextState } from "../queries/next-vectors.js";
import { sendAlone, type StoreCall } from "../store-call.js";
import type { ReembedProgress } from "../store-options.js";
import { embedBatch, nextColumns, presentColumns, type ReembedTarget } from "./embed-batch.js";
import { CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { hasOneConnection } from "../../db/kysely/plain-kysely.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { type BoundStatement, statementName } from "../../db/statements/statement.js";
import type { SendStatement } from "../../db/statements/transaction-steps.js";
import { inLockedTransaction } from "../../migrations/in-locked-transaction.js";
import { SEEN } from "./item-texts.js";

/** The parsed options of a call. */
interface ReembedPlan {
  /** The items of one transaction. */
  readonly batchSize: number;
  readonly onProgress?: ((progress: ReembedProgress) => void) | undefined;
}

/** How long the exchange of the columns waits for a lock, while searches wait behind it, in milliseconds. */
const LOCK_TIMEOUT_MS = 500;
const PAUSES = growingPauses(40, 1_000);
/** After so many attempts, the items that were written meanwhile are embedded while their writers wait. */
const PATIENT_ATTEMPTS = 3;
/** How long they wait for the model, in milliseconds. */
const MODEL_TIMEOUT_MS = 5_000;

/** Embeds all items that need it; see `ItemStore.reembed`. */
export async function reembed(
  call: StoreCall,
  vectors: VectorSettings,
  plan: ReembedPlan,
): Promise<{ embedded: number }> {
  const run = new Reembedding(call, vectors, plan);
  await run.all();
  return { embedded: run.embedded };
}

class Reembedding {
  readonly #call: StoreCall;
  readonly #vectors: VectorSettings;
  readonly #plan: ReembedPlan;
  #progress: ReembedProgress = { done: 0, total: 0 };
  embedded = 0;

  constructor(call: StoreCall, vectors: VectorSettings, plan: ReembedPlan) {
    this.#call = call;
    this.#vectors = vectors;
    this.#plan = plan;
  }

  async all(): Promise<void> {
    if (await this.#fits()) {
      await checkEmbeddings(this.#call, this.#vectors);
      const present = presentColumns(this.#call, this.#vectors);
      await this.#begin(present);
      await this.#pass(present);
    } else {
      await this.#rebuild(nextColumns(this.#call, this.#vectors));
    }
    this.#report(this.#progress.total);
  }

  /** Whether the columns that searches use and their index are what the store needs. */
  async #fits(): Promise<boolean> {
    const { schema, policy } = this.#call;
    const { model, layout } = this.#vectors;
    const [state] = await sendAlone(this.#call, embeddingState(schema));
    const [catalog] = await sendAlone(this.#call, vectorIndexState(schema));
    const stored = kindOf(state);
    const fits =
      (stored.model ?? model) === model &&
      stored.dims === layout.dims &&
      stored.type === layout.type &&
      (catalog?.indexes ?? "").split("\n").includes(indexName(this.#vectors));
    // It would drop the embeddings of the rows that it does not see.
    if (!fits && (policy.tenantId !== undefined || catalog?.hides_rows === true)) {
      throw new InvalidConfigError(
        "reembed",
        "needs a role that sees the items of all tenants, and no tenantId",
      );
    }
    return fits;
  }

  async #rebuild(target: ReembedTarget): Promise<void> {
    await addNextColumns(this.#call, this.#vectors);
    await this.#begin(target);
    await this.#pass(target);
    await buildNextIndex(this.#call, this.#vectors);
    const exchange = async (attempt: number): Promise<boolean> => {
      if (attempt > 1) await this.#pass(target);
      return this.#exchange(target, attempt);
    };
    const { signal } = this.#call;
    await retry(exchange, { pauseMs: PAUSES, signal, afterResult: (isDone) => !isDone });
  }

  async #begin({ rebuilds }: ReembedTarget): Promise<void> {
    const [count] = await sendAlone(this.#call, countUnembedded(this.#call.schema, rebuilds));
    this.#progress = { done: 0, total: count?.items ?? 0 };
    this.#report(0);
  }

  /** Embeds the items one batch after another. */
  async #pass(target: ReembedTarget): Promise<void> {
    const { schema, signal } = this.#call;
    const { batchSize: limit } = this.#plan;
    let after: ItemKey | undefined;
    do {
      throwIfAborted(signal);
      const statement = selectUnembedded(schema, { rebuilds: target.rebuilds, after, limit });
      const rows = await sendAlone(this.#call, statement);
      if (rows.length > 0) {
        this.embedded += await embedBatch(this.#call, this.#vectors, target, rows);
        this.#report(this.#progress.done + rows.length);
      }
      after = rows.length < limit ? undefined : rows.at(-1);
    } while (after !== undefined);
  }

  /** Replaces the columns that searches use, unless others have written too many items meanwhile. */
  async #exchange(target: ReembedTarget, attempt: number): Promise<boolean> {
    const call = { ...this.#call, lockTimeoutMs: LOCK_TIMEOUT_MS };
    const allowed = attempt > PATIENT_ATTEMPTS ? this.#plan.batchSize : 0;
    try {
      return await inOneTransaction(call, async (within) => {
        const { execute } = within.database;
        await lockOutWriters(within, execute);
        const [state] = await execute(target.state);
        refuseMismatch(call, this.#vectors, state);
        const query = { rebuilds: true, after: undefined, limit: allowed + 1 };
        const rows = await execute(selectUnembedded(call.schema, query));
        if (rows.length > allowed) return false;
        if (rows.length > 0) this.embedded += await this.#embedBriefly(within, target, rows);
        await replaceColumns(within, this.#vectors, execute);
        return true;
      });
    } catch (error) {
      if (isLockTimeout(error) || error instanceof ModelTooSlowError) return false;
      throw error;
    }
  }

  /** Embeds items while writers wait, for a short time. */
  async #embedBriefly(
    within: StoreCall,
    target: ReembedTarget,
    rows: readonly UnembeddedRow[],
  ): Promise<number> {
    const { signal: given } = this.#call;
    return withinTime({ signal: given, limitMs: MODEL_TIMEOUT_MS }, async (signal) => {
      try {
        return await embedBatch({ ...within, signal }, this.#vectors, target, rows);
      } catch (error) {
        if (signal.aborted && given?.aborted !== true) throw new ModelTooSlowError();
        throw error;
      }
    });
  }

  #report(done: number): void {
    this.#progress = { ...this.#progress, done: Math.min(done, this.#progress.total) };
    this.#plan.onProgress?.(this.#progress);
  }
}

/** The model took too long for writers that wait. */
class ModelTooSlowError extends CheckpointError {
  override name = "ModelTooSlowError";
  constructor() {
    super("MODEL_TOO_SLOW", "the embedding model took too long");
  }
}

/** The index that the store needs, as `vectorIndexState` names it. */
function indexName({ layout: { index, type, distance } }: VectorSettings): string {
  return index.kind === "flat" ? "" : `${index.kind} ${operatorClass(type, distance)}`;
}

/** How long the new columns wait for a lock of the table, in milliseconds. */
const ADD_LOCK_TIMEOUT_MS = 60_000;
const NEXT_INDEX = "store_vectors_next_idx";

/** Adds the new columns, unless an interrupted call has left them. Those of another model are dropped. */
async function addNextColumns(call: StoreCall, { model, layout }: VectorSettings): Promise<void> {
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
  await inLockedTransaction(database.kysely, schema, ADD_LOCK_TIMEOUT_MS, add, "Call `reembed` again later");
}

/** Builds the index of the new vectors: beside live writers, where the database has several connections. */
async function buildNextIndex(call: StoreCall, { layout }: VectorSettings): Promise<void> {
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
async function lockOutWriters({ database, schema }: StoreCall, send: SendStatement): Promise<void> {
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
async function replaceColumns(
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
