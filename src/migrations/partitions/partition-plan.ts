import type { Tables } from "../in-locked-transaction.js";
import type { Kysely } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import { MigrationError } from "../../errors/index.js";
import { distributionStatus } from "../distribution/distribution-state.js";
import { readTables, CONVERTED_TABLES } from "./conversion-state.js";
import { refuseDependents, refuseTakenNames } from "./obstacles.js";
import { parseLayout, type PartitionLayout } from "./partition-layout.js";

/** The options of {@link planPartitions}. */
export interface PartitionPlanOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
  /** The layout that the tables are to have. */
  readonly layout: PartitionLayout;
}

/** A table that a conversion replaces. */
export interface PlannedTable {
  readonly table: string;
  /** Its layout now: `none`, `hash:4`, or the partition key of one that this library has not made. */
  readonly from: string;
  /** About how many rows it has, by the statistics of Postgres. */
  readonly rows: number;
  /** The disk that it takes with its indexes, in bytes. The copy needs at most as much. */
  readonly bytes: number;
}

/** What {@link partitionTables} would do. */
export interface PartitionPlan {
  readonly layout: PartitionLayout;
  /** The tables to convert. Empty if all have the layout. */
  readonly tables: readonly PlannedTable[];
  /** The disk that the copies need beside the tables until the conversion ends, in bytes. */
  readonly bytes: number;
  /** The layout of a conversion that is under way. One to another layout is given up first. */
  readonly underWay: string | undefined;
}

/**
 * Returns what {@link partitionTables} would do, and how much disk it needs, without changing anything.
 *
 * @throws InvalidConfigError for an unknown layout.
 * @throws MigrationError where the tables can't be converted. It says why.
 *
 * @example
 * ```ts
 * const { bytes } = await planPartitions(db, { schema: "agents", layout: "hash:16" });
 * ```
 */
export async function planPartitions(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", layout }: PartitionPlanOptions,
): Promise<PartitionPlan> {
  parseLayout(layout);
  const plain = plainKysely(db);
  await refuseNodes(plain, schema);
  try {
    const found = await readTables(plain, schema);
    const wanted = found.filter((state) => state.layout !== layout);
    const underWay = found.find(({ next }) => next !== undefined)?.next;
    await refuseDependents(plain, schema, wanted);
    if (wanted.length > 0 && underWay === undefined) await refuseTakenNames(plain, schema, wanted, layout);
    const missing = CONVERTED_TABLES.filter(({ name }) => found.every(({ table }) => table.name !== name));
    const tables = [
      ...wanted.map(({ table, layout: from, estimatedRows: rows, bytes }) => ({
        ...{ table: table.name, from, rows, bytes },
      })),
      // A migration creates them first.
      ...(layout === "none"
        ? []
        : missing.map(({ name }) => ({ table: name, from: "none", rows: 0, bytes: 0 }))),
    ];
    return { layout, tables, bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0), underWay };
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** @throws MigrationError if Citus distributes the tables: its shards are partitions already, on several servers. */
export async function refuseNodes(db: Tables, schema: string): Promise<void> {
  const { tables } = await distributionStatus(db, { schema });
  if (tables.every(({ placement }) => placement === "local")) return;
  throw new MigrationError(
    `Citus keeps the tables of schema "${schema}" in shards, which do what partitions do. Raise their number instead`,
  );
}
