import { textOfStatement } from "../catalog-expressions.js";
import { type RawBuilder, sql } from "kysely";
import { MigrationError, MigrationRequiredError } from "../../errors/index.js";
import { migrateCommand, shellCommand, quoted } from "../../db/migrate-command.js";
import {
  type DistributionStatus,
  REFERENCE_TABLES,
  type TableDistribution,
  DISTRIBUTED_TABLES,
  TABLES_OF_THREADS,
} from "./distribution-state.js";

/** The first version of Citus with every statement that the savers send. */
const OLDEST_CITUS = 12;

/** A change of where tables are. */
export interface DistributionChange {
  /** The tables that are moved. */
  readonly tables: readonly string[];
  /** In order. All of them run in one transaction. */
  readonly statements: readonly RawBuilder<unknown>[];
}

/**
 * Lists the statements that distribute what is not distributed yet.
 *
 * @param shards - The number of shards of tables that no other table is distributed with. Default: the setting `citus.shard_count`.
 * @throws MigrationError where the tables can't be distributed. It says why.
 */
export function planDistributing(status: DistributionStatus, shards?: number): DistributionChange {
  refuseWithoutCoordinator(status);
  refuseSchemas(status);
  refuseOtherPlaces(status);
  refuseOtherShards(status, shards);
  return distributeRest(status, shards);
}

/** Lists the statements that distribute the tables that are not, together with those that are. */
export function distributeRest(status: DistributionStatus, shards?: number): DistributionChange {
  const { schema } = status;
  const tables = DISTRIBUTED_TABLES.filter((name) => isLocal(status, name));
  const references = REFERENCE_TABLES.filter((name) => isLocal(status, name));
  const all = [...tables, ...references];
  if (all.length === 0) return { tables: [], statements: [] };
  const together = firstDistributed(status)?.table ?? tables[0];
  return {
    tables: all,
    statements: [
      lockTables(schema, all),
      // Citus allows no triggers on distributed tables.
      ...(touches(status, tables) ? [dropTouch(schema)] : []),
      ...sameCollations(status, tables),
      ...tables.map((table) =>
        together === undefined || table === together
          ? createDistributed(schema, table, sql.lit("none"), shards)
          : createDistributed(schema, table, nameOf(schema, together)),
      ),
      ...references.map((table) => sql`select create_reference_table(${nameOf(schema, table)})`),
      // Otherwise the rows of before would stay on the disk of this server.
      ...all.map(
        (table) => sql`select truncate_local_data_after_distributing_table(${nameOf(schema, table)})`,
      ),
    ],
  };
}

/**
 * Lists the statements that bring all rows back to the coordinator.
 *
 * @throws MigrationError without Citus, and where a whole schema is on one node.
 */
export function planUndistributing(status: DistributionStatus): DistributionChange {
  refuseWithoutCoordinator(status);
  refuseSchemas(status);
  const { schema } = status;
  const tables = status.tables.flatMap(({ table, placement }) => (placement === "local" ? [] : [table]));
  const ordered = [...DISTRIBUTED_TABLES, ...REFERENCE_TABLES].filter((table) => tables.includes(table));
  if (ordered.length === 0) return { tables: [], statements: [] };
  return {
    tables: ordered,
    statements: [
      lockTables(schema, ordered),
      ...ordered.map((table) => sql`select undistribute_table(${nameOf(schema, table)})`),
      ...(touches(status, ordered) ? [createTouch(schema)] : []),
    ],
  };
}

/** The SQL of a change, without parameters and final semicolons. */
export function textsOf({ statements }: DistributionChange): string[] {
  return statements.map(textOfStatement);
}

/**
 * Gives each table the collation that `thread_id` has in `checkpoints`. It differs only where an official saver has created that table:
 * then it is a table of ours that changes, and it is a small one.
 */
function sameCollations(status: DistributionStatus, tables: readonly string[]): RawBuilder<unknown>[] {
  const wanted = existing(status, ["checkpoints"])[0]?.collation;
  if (wanted === undefined || wanted === null) return [];
  return existing(status, tables).flatMap(({ table, collation }) =>
    collation === wanted || collation === null
      ? []
      : [
          sql`alter table ${sql.id(status.schema, table)} alter column thread_id type text collate ${sql.id("pg_catalog", wanted)}`,
        ],
  );
}

// All locks at once, in the order of writers (C2): a deadlock would undo the work of hours.
function lockTables(schema: string, tables: readonly string[]): RawBuilder<unknown> {
  const names = sql.join(tables.map((table) => sql.id(schema, table)));
  return sql`lock table ${names} in access exclusive mode`;
}

function createDistributed(
  schema: string,
  table: string,
  together: RawBuilder<unknown>,
  shards?: number,
): RawBuilder<unknown> {
  const count = shards === undefined ? sql`` : sql`, shard_count => ${sql.lit(shards)}`;
  return sql`select create_distributed_table(${nameOf(schema, table)}, 'thread_id', colocate_with => ${together}${count})`;
}

/** The trigger by which the time of a conversation follows its checkpoints; see the step that creates it. */
const TOUCH = "checkpoint_conversation_touch";

/** Whether tables that are moved have the trigger while they are local. */
function touches(status: DistributionStatus, moved: readonly string[]): boolean {
  return moved.includes("checkpoints") && existing(status, ["checkpoint_conversations"]).length > 0;
}

function dropTouch(schema: string): RawBuilder<unknown> {
  return sql`drop trigger if exists ${sql.id(TOUCH)} on ${sql.id(schema, "checkpoints")}`;
}

function createTouch(schema: string): RawBuilder<unknown> {
  return sql`create or replace trigger ${sql.id(TOUCH)} after insert on ${sql.id(schema, "checkpoints")}
    for each row when (new.checkpoint_ns = '') execute function ${sql.id(schema, TOUCH)}()`;
}

/** The name of a table as text that Citus parses. */
function nameOf(schema: string, table: string): RawBuilder<string> {
  return sql.lit(quoted(schema, table));
}

function existing({ tables }: DistributionStatus, names: readonly string[]): TableDistribution[] {
  return names.flatMap((name) => tables.filter(({ table }) => table === name));
}

function isLocal(status: DistributionStatus, name: string): boolean {
  return existing(status, [name])[0]?.placement === "local";
}

function refuseWithoutCoordinator({ citus, isCoordinator }: DistributionStatus): void {
  if (citus === null) {
    throw new MigrationError(
      "this database does not have the extension `citus`: create it on the coordinator and on each worker, and add the workers " +
        "by `select citus_add_node(host, port)`",
    );
  }
  if (Number.parseInt(citus, 10) < OLDEST_CITUS) {
    throw new MigrationError(
      `the database has Citus ${citus}, but the savers need ${OLDEST_CITUS}: upgrade it, and run \`alter extension citus update\``,
    );
  }
  if (isCoordinator) return;
  throw new MigrationError("this server is a worker of its Citus cluster: connect to the coordinator");
}

function refuseSchemas({ schema, tables }: DistributionStatus): void {
  if (!tables.some(({ placement }) => placement === "schema")) return;
  throw new MigrationError(
    `Citus keeps the whole schema "${schema}" on one node, so its tables can't be distributed by their rows: ` +
      "run `select citus_schema_undistribute(schema)` first, or leave them there",
  );
}

/** Adds the tables that a migration will create. */
export function withMissingTables(status: DistributionStatus): DistributionStatus {
  const missing = [...TABLES_OF_THREADS, ...REFERENCE_TABLES].filter(
    (name) => existing(status, [name]).length === 0,
  );
  const local = { placement: "local", column: null, colocation: null, shards: 0, collation: null } as const;
  return { ...status, tables: [...status.tables, ...missing.map((table) => ({ ...local, table }))] };
}

/** @throws MigrationRequiredError if tables are missing. */
export function refuseMissing(status: DistributionStatus): void {
  const { schema } = status;
  const missing = TABLES_OF_THREADS.filter((name) => existing(status, [name]).length === 0);
  if (missing.length === 0) return;
  throw new MigrationRequiredError(
    schema,
    `schema "${schema}" lacks ${missing.join(", ")}: run \`${migrateCommand(schema)}\` first`,
  );
}

function refuseOtherPlaces(status: DistributionStatus): void {
  const { schema } = status;
  const first = firstDistributed(status);
  const others = existing(status, DISTRIBUTED_TABLES).filter(
    ({ placement, column, colocation }) =>
      placement !== "local" && (column !== "thread_id" || colocation !== first?.colocation),
  );
  if (others.length === 0) return;
  const names = others.map(({ table }) => table).join(", ");
  throw new MigrationError(
    `in schema "${schema}" Citus distributes ${names} in another way than all tables together by thread_id: ` +
      `run \`${shellCommand("migrate --undistribute", schema)}\` first`,
  );
}

function refuseOtherShards(status: DistributionStatus, shards: number | undefined): void {
  const first = firstDistributed(status);
  if (shards === undefined || first === undefined || first.shards === shards) return;
  const table = `${status.schema}.${first.table}`;
  throw new MigrationError(
    `the tables have ${first.shards} shards: change that by ` +
      `\`select alter_distributed_table('${table}', shard_count => ${shards}, cascade_to_colocated => true)\``,
  );
}

/** The table that the others are distributed together with. */
function firstDistributed(status: DistributionStatus): TableDistribution | undefined {
  return existing(status, DISTRIBUTED_TABLES).find(({ column }) => column === "thread_id");
}
