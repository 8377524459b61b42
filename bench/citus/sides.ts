import type pg from "pg";
import { sql } from "kysely";
import type { PostgresServer } from "../../test-support/postgres-target.js";
import type { TestDatabase } from "../../test-support/test-database.js";
import { openPool } from "../open-pool.js";
import { OURS, type Saver, UNGROUPED } from "../subjects.js";
import { delegatePuts } from "./delegated-put.js";

// The build, as it is published.
const { openDatabase } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/db")
)) as typeof import("../../src/db/index.js");
const { distributeTables, migrateToLatest } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely/migrations")
)) as typeof import("../../src/migrations/index.js");
const { PostgresSaver } = (await import(
  import.meta.resolve("langgraph-checkpoint-kysely")
)) as typeof import("../../src/index.js");

/** The ways to keep the tables that are compared, with the titles of their figures. */
export const SIDES = {
  plain: "one server",
  schemas: "Citus, by schemas",
  rows: "Citus, by rows",
  ungrouped: "Citus, by rows, `grouping: false`",
  delegated: "the same, `put` as a delegated function",
} as const;

/** One of {@link SIDES}. */
export type SideId = keyof typeof SIDES;

/** A database that is prepared, and the savers on it. */
export interface Side {
  readonly id: SideId;
  readonly database: TestDatabase<string>;
  /** Threads are spread over them. */
  readonly savers: readonly Saver[];
  end(): Promise<void>;
}

/** The number of schemas, which Citus spreads over the nodes. */
const SCHEMAS = 8;

/** Prepares a side on the coordinator. */
export async function openSide(id: SideId, server: PostgresServer): Promise<Side> {
  const database = await server.createDatabase();
  // What is dropped with it would be created again for the next side.
  if (id === "plain") await database.exec("drop extension citus cascade");
  const schemas = id === "schemas" ? Array.from({ length: SCHEMAS }, (_, n) => `tenant_${n}`) : ["public"];
  await migrate(database, id, schemas);
  const pool = openPool(database.source);
  if (id === "delegated") return delegatedSide(database, pool);
  return { id, database, savers: schemas.map((schema) => saverOf(id, pool, schema)), end: () => pool.end() };
}

/** Only the puts are delegated. */
async function delegatedSide(database: TestDatabase<string>, pool: pg.Pool): Promise<Side> {
  const puts = openPool(database.source);
  await delegatePuts(puts, database);
  const delegating = UNGROUPED.open(puts);
  const saver = Object.assign(UNGROUPED.open(pool), { put: delegating.put.bind(delegating) });
  const end = async (): Promise<void> => {
    await puts.end();
    await pool.end();
  };
  return { id: "delegated", database, savers: [saver], end };
}

async function migrate(
  { source }: TestDatabase<string>,
  id: SideId,
  schemas: readonly string[],
): Promise<void> {
  const { kysely, close } = openDatabase(source);
  for (const schema of schemas) {
    if (id === "schemas") {
      await kysely.connection().execute(async (connection) => {
        await sql`set citus.enable_schema_based_sharding to on`.execute(connection);
        await sql`create schema ${sql.id(schema)}`.execute(connection);
      });
    }
    await migrateToLatest(kysely, { schema });
    if (id !== "plain" && id !== "schemas") await distributeTables(kysely, { schema });
  }
  await close();
}

function saverOf(id: SideId, pool: pg.Pool, schema: string): Saver {
  if (id === "ungrouped") return UNGROUPED.open(pool);
  return id === "schemas" ? new PostgresSaver(pool, undefined, { schema }) : OURS.open(pool);
}
