import { sql } from "kysely";
import { shellCommand, quotedText, quoted } from "../db/migrate-command.js";
import {
  type DistributionStatus,
  distributionStatus,
  REFERENCE_TABLES,
  type TableDistribution,
  DISTRIBUTED_TABLES,
} from "../migrations/distribution/distribution-state.js";
import { askNodes, type Nodes } from "./check-citus-nodes.js";
import type { Check, Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import type { DoctoredDatabase } from "./catalog.js";

const { ok, warning, error } = findingsOf("citus");

/** With fewer shards for each node, one shard more or less is a fourth of what a node does. */
const SHARDS_FOR_NODE = 4;
/** What a cluster should have where it gets more shards: enough for as many nodes again. */
const ROOM_TO_GROW = 2;

/** Checks where Citus keeps the tables, and the nodes that they are on. It tells nothing about a database without Citus. */
export const checkCitus: Check = {
  name: "citus",
  run: async (examination) => {
    const status = await distributionStatus(examination.db, { schema: examination.schema.name });
    if (status.citus === null) return [];
    const placed = status.tables.filter(({ placement }) => placement !== "local");
    if (placed.length === 0) return localOf(status);
    const nodes = await askNodes(examination);
    const wrong = [...otherPlacesOf(status), ...localRestOf(status)];
    return [
      ...(wrong.length > 0 ? wrong : placedOf(status, nodes.addresses)),
      ...(await leftBehindOf(examination, placed)),
      ...nodes.findings,
      // The size of a shard is asked of its node.
      ...(nodes.areReached ? await shardsOf(examination, placed, nodes) : []),
    ];
  },
};

function localOf({ citus, schema }: DistributionStatus): Finding[] {
  return ok(`Citus ${citus}; the tables of schema "${schema}" are not distributed (migrate --distribute)`);
}

function placedOf({ citus, schema, tables }: DistributionStatus, addresses: readonly string[]): Finding[] {
  const nodes = addresses.join(", ");
  const [table] = tables.filter(({ placement }) => placement === "distributed");
  if (table === undefined) return ok(`Citus ${citus}; schema "${schema}" is on one of the nodes ${nodes}`);
  return ok(`Citus ${citus}; tables in ${table.shards} shards by thread_id, on the nodes ${nodes}`);
}

/** Tables that are not distributed together by `thread_id`, so that statements about one thread fail. */
function otherPlacesOf({ schema, tables }: DistributionStatus): Finding[] {
  const names: readonly string[] = DISTRIBUTED_TABLES;
  const ofThreads = tables.filter(({ table, placement }) => placement !== "local" && names.includes(table));
  if (ofThreads.every(({ placement }) => placement === "schema")) return [];
  const again = `${shellCommand("migrate --undistribute", schema)}, then ${shellCommand("migrate --distribute", schema)}`;
  const others = ofThreads.filter(({ column }) => column !== "thread_id");
  const together = ofThreads.filter(({ column }) => column === "thread_id");
  const apart = together.filter(({ colocation }) => colocation !== together[0]?.colocation);
  return [
    ...others.flatMap(({ table, column, placement }) => {
      const place = column === null ? `a ${placement} table` : `distributed by ${column}`;
      return error(
        `table "${table}" is ${place}: its rows are not with those of their threads, so calls fail`,
        again,
      );
    }),
    ...apart.flatMap(({ table }) =>
      error(
        `table "${table}" is not co-located with "${together[0]?.table}": a thread's rows are on several nodes, so calls fail`,
        again,
      ),
    ),
  ];
}

/** Tables that are local although others are not. */
function localRestOf({ schema, tables }: DistributionStatus): Finding[] {
  const local = (names: readonly string[]): string =>
    tables
      .filter(({ table, placement }) => placement === "local" && names.includes(table))
      .map(({ table }) => `"${table}"`)
      .join(", ");
  const distribute = shellCommand("migrate --distribute", schema);
  const [ofThreads, references] = [local(DISTRIBUTED_TABLES), local(REFERENCE_TABLES)];
  return [
    ...(ofThreads === ""
      ? []
      : error(`${ofThreads} not distributed, although other tables are, so calls fail`, distribute)),
    ...(references === ""
      ? []
      : warning(
          `${references} exists on the coordinator only, so official savers can't use other nodes`,
          distribute,
        )),
  ];
}

/** Rows that a table had before it was distributed: they take disk, and no statement sees them. */
async function leftBehindOf(
  { db, schema }: Examination,
  placed: readonly TableDistribution[],
): Promise<Finding[]> {
  const kept = await db
    .selectFrom("pg_catalog.pg_class as relation")
    .innerJoin("pg_catalog.pg_namespace as namespace", "namespace.oid", "relation.relnamespace")
    .select("relation.relname as table")
    .select(sql<string>`pg_size_pretty(pg_table_size(relation.oid))`.as("size"))
    .where("namespace.nspname", "=", schema.name)
    .where(
      "relation.relname",
      "in",
      placed.map(({ table }) => table),
    )
    .where(sql<number>`pg_relation_size(relation.oid)`, ">", 0)
    .orderBy("relation.relname")
    .execute();
  return kept.flatMap(({ table, size }) =>
    warning(
      `table "${table}" has ${size} of rows on this server from before it was distributed, which no statement sees`,
      `select truncate_local_data_after_distributing_table(${quotedText(schema.name, table)})`,
    ),
  );
}

/** Checks whether the nodes share the shards of the tables. All nodes must have answered. */
async function shardsOf(
  { db, schema }: Examination,
  placed: readonly TableDistribution[],
  { addresses }: Nodes,
): Promise<Finding[]> {
  const [distributed] = placed.filter(({ column }) => column === "thread_id");
  if (distributed === undefined) return [];
  const { shards } = distributed;
  const table = quotedText(schema.name, distributed.table);
  const nodes = addresses.length;
  const wanted = SHARDS_FOR_NODE * nodes;
  if (shards < wanted) {
    const counts = `${shards} ${shards === 1 ? "shard" : "shards"} on ${nodes} ${nodes === 1 ? "node" : "nodes"}`;
    return warning(
      shards < nodes
        ? `${counts}: ${nodes - shards} of them have no threads`
        : `${counts}: too few to share the threads equally, because shards move as a whole`,
      `select alter_distributed_table(${table}, shard_count => ${ROOM_TO_GROW * wanted}, cascade_to_colocated => true); it copies all rows, and writers wait`,
    );
  }
  const moves = await readMoves(db, quoted(schema.name, distributed.table));
  if (moves === 0) return [];
  return warning(
    `the nodes have unequal shares: Citus would move ${moves} of ${shards} shards`,
    "select citus_rebalance_start(); agents can go on meanwhile",
  );
}

/** How many shards a rebalancing would move now, by Citus's own strategy: by their sizes, unless the cluster has another default. */
async function readMoves(db: DoctoredDatabase, table: string): Promise<number> {
  const { moves } = await db
    .selectFrom(
      sql<{
        shardid: number;
        table_name: string;
      }>`get_rebalance_table_shards_plan(${table}::regclass)`.as<"moved">(sql`moved`),
    )
    .select(sql<number>`count(*)::integer`.as("moves"))
    .where("moved.table_name", "=", sql<string>`${table}::regclass`)
    .executeTakeFirstOrThrow();
  return moves;
}
