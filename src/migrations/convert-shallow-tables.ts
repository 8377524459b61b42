import {
  type OpenTransaction,
  type Tables,
  inLockedTransaction,
  DEFAULT_LOCK_TIMEOUT_MS,
  withRowSecurityOff,
} from "./in-locked-transaction.js";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import { plainKysely } from "../db/kysely/plain-kysely.js";
import { MigrationError } from "../errors/index.js";
import {
  conversionFailed,
  countRowsOfTables,
  lockTables,
  presentTables,
  requireAllRows,
  type RowsOfTables,
} from "./conversion.js";
import { type MigrateOptions, migrateToLatest } from "./migrate.js";
import { findIncompatibleTables } from "./incompatible-tables.js";
import { CHECKPOINT_SET } from "./sets.js";

/** The result of converting the tables of Python's shallow saver. */
export interface ShallowConversion {
  /** The number of checkpoints, the same as before. */
  readonly checkpoints: number;
  /** The number of writes, the same as before. */
  readonly writes: number;
  /** The number of values that checkpoints reference. */
  readonly blobs: number;
  /** The number of deleted values: no checkpoint referenced them, so that they have no version. */
  readonly unreferencedBlobs: number;
  /** The migration steps that ran after the conversion, oldest first. */
  readonly applied: readonly string[];
}

type TableName = "checkpoints" | "checkpoint_blobs" | "checkpoint_writes";

/** In the order in which every writer locks them. */
const TABLES: readonly TableName[] = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"];

/**
 * Converts the tables of Python's `ShallowPostgresSaver` to those of this library and Python's `PostgresSaver`, and migrates them
 * to the newest version. Every checkpoint keeps its id, and its values get the versions by which it references them. The
 * conversion runs in one transaction: if it fails, nothing is changed.
 *
 * Stop the services that use the tables first: the conversion locks and rewrites the tables, and the shallow saver can't use
 * them afterwards.
 *
 * @param db - A Kysely on the database, or a transaction, which the caller then commits.
 * @returns The number of rows after the conversion.
 * @throws IncompatibleTablesError if tables with the names of checkpoint tables belong to no LangGraph saver.
 * @throws MigrationError if the schema has no tables of the shallow saver, or if a statement fails.
 * @throws PermissionError if the role may not change the tables.
 *
 * @example
 * ```ts
 * const { checkpoints, blobs, writes } = await convertShallowTables(db, { schema: "agents" });
 * ```
 */
export async function convertShallowTables(
  db: Kysely<CheckpointDatabase>,
  options: MigrateOptions = {},
): Promise<ShallowConversion> {
  const { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS } = options;
  return inLockedTransaction(plainKysely(db), schema, lockTimeoutMs, (transaction) =>
    withRowSecurityOff(transaction, async () => {
      await requireShallowTables(transaction, schema);
      const converted = await convert(transaction, schema).catch((reason: unknown) => {
        throw conversionFailed(reason);
      });
      return { ...converted, applied: await migrateToLatest(transaction, { schema, lockTimeoutMs }) };
    }),
  );
}

async function requireShallowTables(transaction: OpenTransaction, schema: string): Promise<void> {
  const found = await findIncompatibleTables(transaction, schema, CHECKPOINT_SET);
  if (found?.layout === "python-shallow") return;
  if (found !== undefined) throw found;
  throw new MigrationError(
    `schema "${schema}" has no tables of Python's ShallowPostgresSaver: there is nothing to convert`,
  );
}

async function convert(
  transaction: OpenTransaction,
  schema: string,
): Promise<Omit<ShallowConversion, "applied">> {
  // A failed setup() of the shallow saver may have created only some of them.
  const tables = await presentTables(transaction, schema, TABLES);
  await lockTables(transaction, schema, tables);
  const db = transaction.withSchema(schema);
  const before = await rowsOf(transaction, schema, tables);
  await addCheckpointIds(db, tables);
  const unreferencedBlobs = tables.includes("checkpoint_blobs") ? await addVersions(db) : 0;
  const after = await rowsOf(transaction, schema, tables);
  requireAllRows(before, { ...after, checkpoint_blobs: after.checkpoint_blobs + unreferencedBlobs });
  return {
    checkpoints: after.checkpoints,
    writes: after.checkpoint_writes,
    blobs: after.checkpoint_blobs,
    unreferencedBlobs,
  };
}

async function rowsOf(
  transaction: OpenTransaction,
  schema: string,
  tables: readonly TableName[],
): Promise<RowsOfTables<TableName>> {
  const none = { checkpoints: 0, checkpoint_blobs: 0, checkpoint_writes: 0 };
  return { ...none, ...(await countRowsOfTables(transaction, schema, tables)) };
}

async function addCheckpointIds(db: Tables, tables: readonly TableName[]): Promise<void> {
  await db.schema
    .alterTable("checkpoints")
    .addColumn("checkpoint_id", "text")
    .addColumn("parent_checkpoint_id", "text")
    .execute();
  await db
    .updateTable("checkpoints")
    .set({ checkpoint_id: sql<string>`checkpoint ->> 'id'` })
    .execute();
  if (tables.includes("checkpoint_writes")) await addSendersOfOldCheckpoints(db);
  await replaceKey(db, "checkpoints", ["thread_id", "checkpoint_ns", "checkpoint_id"]);
}

/** Before version 4 of the format, the sends of a checkpoint are writes of its parent. The shallow saver keeps those writes. */
async function addSendersOfOldCheckpoints(db: Tables): Promise<void> {
  await db
    .updateTable("checkpoints")
    .set((eb) => ({
      parent_checkpoint_id: eb
        .selectFrom("checkpoint_writes as sent")
        .select(({ fn }) => fn.max("sent.checkpoint_id").as("id"))
        .whereRef("sent.thread_id", "=", "checkpoints.thread_id")
        .whereRef("sent.checkpoint_ns", "=", "checkpoints.checkpoint_ns")
        .whereRef("sent.checkpoint_id", "<>", "checkpoints.checkpoint_id")
        .where("sent.channel", "=", "__pregel_tasks"),
    }))
    .where(sql<boolean>`(checkpoint ->> 'v')::numeric < 4`)
    .execute();
}

/** @returns The number of deleted values, which no checkpoint references. */
async function addVersions(db: Tables): Promise<number> {
  await db.schema.alterTable("checkpoint_blobs").addColumn("version", "text").execute();
  await db
    .updateTable("checkpoint_blobs")
    .from("checkpoints")
    .whereRef("checkpoints.thread_id", "=", "checkpoint_blobs.thread_id")
    .whereRef("checkpoints.checkpoint_ns", "=", "checkpoint_blobs.checkpoint_ns")
    .set({
      version: sql<string>`checkpoints.checkpoint -> 'channel_versions' ->> checkpoint_blobs.channel`,
    })
    .execute();
  const { numDeletedRows } = await db
    .deleteFrom("checkpoint_blobs")
    .where("version", "is", null)
    .executeTakeFirstOrThrow();
  await replaceKey(db, "checkpoint_blobs", ["thread_id", "checkpoint_ns", "channel", "version"]);
  return Number(numDeletedRows);
}

/** Replaces the primary key, which also makes its columns NOT NULL. */
async function replaceKey({ schema }: Tables, table: TableName, key: readonly string[]): Promise<void> {
  const name = `${table}_pkey`;
  await schema.alterTable(table).dropConstraint(name).execute();
  await schema
    .alterTable(table)
    .addPrimaryKeyConstraint(name, [...key])
    .execute();
}
