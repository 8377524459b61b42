import { sql } from "kysely";
import type { TableDistribution } from "../migrations/distribution/distribution-state.js";
import type { Nodes } from "./check-citus-nodes.js";
import type { DoctoredDatabase } from "./catalog.js";
import type { Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";
import { quoted, quotedText } from "../db/migrate-command.js";

const { warning } = findingsOf("citus");

/** With fewer shards for each node, one shard more or less is a fourth of what a node does. */
const SHARDS_FOR_NODE = 4;
/** What a cluster should have where it gets more shards: enough for as many nodes again. */
const ROOM_TO_GROW = 2;

/** Checks whether the nodes share the shards of the tables. All nodes must have answered. */
export async function shardsOf(
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
    return [
      warning(
        shards < nodes
          ? `${counts}: ${nodes - shards} of them have no threads`
          : `${counts}: too few to share the threads equally, because shards move as a whole`,
        `select alter_distributed_table(${table}, shard_count => ${ROOM_TO_GROW * wanted}, cascade_to_colocated => true); it copies all rows, and writers wait`,
      ),
    ];
  }
  const moves = await readMoves(db, quoted(schema.name, distributed.table));
  if (moves === 0) return [];
  return [
    warning(
      `the nodes have unequal shares: Citus would move ${moves} of ${shards} shards`,
      "select citus_rebalance_start(); agents can go on meanwhile",
    ),
  ];
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
