import { sql } from "kysely";
import type { DoctoredDatabase } from "./catalog.js";
import type { Examination } from "./examination.js";
import { type Finding, findingsOf } from "./finding.js";

const { warning, error } = findingsOf("citus");

/** How long a node may take to accept a connection. Citus waits for 30 s, which is longer than a check may take. */
const CONNECT_TIMEOUT = "3s";
const RELOAD = "select pg_reload_conf()";

/** What is known about the nodes of a cluster. */
export interface Nodes {
  readonly findings: readonly Finding[];
  /** Whether all active nodes have answered. */
  readonly areReached: boolean;
  /** The active nodes that get shards, as `host:port`. */
  readonly addresses: readonly string[];
}

/** Asks every node of the cluster for its settings, from the server that the check is connected to. */
export async function askNodes({ db }: Examination): Promise<Nodes> {
  const timeout = sql<string>`set_config('citus.node_connection_timeout', ${CONNECT_TIMEOUT}, true)`;
  await db.selectNoFrom(timeout.as("timeout")).execute();
  const nodes = await readNodes(db);
  const pool = await readPool(db);
  const active = nodes.filter(({ isActive }) => isActive);
  return {
    findings: [
      ...nodes.flatMap((node) => [...stateOf(node), ...roomOf(node, pool)]),
      ...preparedOf(nodes),
      ...cacheOf(pool),
    ],
    areReached: active.every(({ isReached }) => isReached === true),
    addresses: active.flatMap((node) => (node.shouldHaveShards ? [addressOf(node)] : [])),
  };
}

type Node = Awaited<ReturnType<typeof readNodes>>[number];

function readNodes(db: DoctoredDatabase) {
  const setting = (nth: number) =>
    sql<
      number | null
    >`case when answer.success then split_part(answer.result, ' ', ${sql.lit(nth)})::integer end`;
  // An answer is one text.
  const command =
    "select concat_ws(' ', current_setting('max_connections'), current_setting('max_prepared_transactions'))";
  return db
    .selectFrom("pg_catalog.pg_dist_node as node")
    .leftJoin(
      sql<{
        nodeid: number;
        success: boolean;
        result: string;
      }>`run_command_on_all_nodes(${command})`.as<"answer">(sql`answer`),
      "answer.nodeid",
      "node.nodeid",
    )
    .select(["node.nodename as host", "node.nodeport as port"])
    .select(["node.isactive as isActive", "node.shouldhaveshards as shouldHaveShards"])
    .select(["answer.success as isReached", "answer.result as answer"])
    .select([setting(1).as("maxConnections"), setting(2).as("maxPrepared")])
    .select(
      sql<boolean>`node.groupid = (select groupid from pg_catalog.pg_dist_local_group)`.as("isThisServer"),
    )
    .where("node.noderole", "=", sql<string>`'primary'`)
    .where("node.nodecluster", "=", sql<string>`current_setting('citus.cluster_name')`)
    .orderBy("node.groupid")
    .execute();
}

interface ConnectionPool {
  /** How many connections this server opens to each node at most. */
  readonly size: number;
  /** How many of them a session keeps open for each node. */
  readonly kept: number;
}

async function readPool(db: DoctoredDatabase): Promise<ConnectionPool> {
  const rows = await db
    .selectFrom("pg_catalog.pg_settings")
    .select(["name", "setting"])
    // Only superusers see the first one.
    .where("name", "in", [
      "citus.max_shared_pool_size",
      "citus.max_cached_conns_per_worker",
      "max_connections",
    ])
    .execute();
  const settings = new Map(rows.map(({ name, setting }) => [name, Number(setting)]));
  const connections = settings.get("max_connections") ?? 0;
  const shared = settings.get("citus.max_shared_pool_size") ?? 0;
  return {
    size: shared > 0 ? shared : connections,
    kept: settings.get("citus.max_cached_conns_per_worker") ?? 1,
  };
}

function stateOf(node: Node): Finding[] {
  const { host, port, isActive, isReached, answer } = node;
  const address = addressOf(node);
  if (!isActive) {
    return warning(
      `node ${address} is not active, so it gets no threads`,
      `select citus_activate_node('${host.replaceAll("'", "''")}', ${port}), then select citus_rebalance_start()`,
    );
  }
  if (isReached !== false) return [];
  return error(
    `node ${address} does not answer, so the calls about its threads fail: ${answer}`,
    "start it, or check the network between the nodes, pg_hba.conf, and citus.node_conninfo; if it has moved: citus_update_node",
  );
}

/** A node that refuses connections when many calls run at once. */
function roomOf(node: Node, pool: ConnectionPool): Finding[] {
  const { maxConnections, isThisServer } = node;
  if (isThisServer || maxConnections === null || maxConnections >= pool.size) return [];
  return warning(
    `node ${addressOf(node)} accepts ${maxConnections} connections, but this server may open ${pool.size} to it`,
    `raise max_connections there, or run here: alter system set citus.max_shared_pool_size = ${maxConnections}; ${RELOAD}`,
  );
}

/** Nodes where changes of several threads may fail when many run at once: they are committed in two phases. */
function preparedOf(nodes: readonly Node[]): Finding[] {
  const few = nodes.filter(({ maxPrepared, maxConnections }) => (maxPrepared ?? 0) < (maxConnections ?? 0));
  if (few.length === 0) return [];
  const settings = few.map((node) => `${addressOf(node)} (${node.maxPrepared} of ${node.maxConnections})`);
  return warning(
    `max_prepared_transactions is lower than max_connections on ${settings.join(", ")}, which may end changes of threads on several nodes`,
    "set it to twice max_connections in postgresql.conf of each node, and restart them",
  );
}

function cacheOf({ kept }: ConnectionPool): Finding[] {
  if (kept > 0) return [];
  return warning(
    "citus.max_cached_conns_per_worker is 0, so every call opens a connection to the node of its thread",
    `alter system set citus.max_cached_conns_per_worker = 1; ${RELOAD}; set it for the database and the role too`,
  );
}

function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host}:${port}`;
}
