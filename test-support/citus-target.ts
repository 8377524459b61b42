import { randomBytes } from "node:crypto";
import type pg from "pg";
import {
  databaseUrl,
  PostgresDatabase,
  type PostgresServer,
  quietPool,
  untilNobodyIsIn,
} from "./postgres-target.js";
import { withClient } from "./with-client.js";

/** How the tables of a test's database on Citus get distributed. */
export interface CitusOptions {
  /** Whether the tables of savers are distributed as they are created. Otherwise the test does it. */
  readonly distributes: boolean;
}

/**
 * Connects to the coordinator of a Citus cluster. A database of Citus belongs to one cluster of databases, one on each
 * node, so each test's database is created on every node of the named one. That takes a second: a dropped database is
 * emptied and given to the next test, and `close` drops them.
 *
 * @param url - The connection string of a coordinator with workers. The role creates databases and extensions.
 */
export function connectToCitus(url: string, { distributes }: CitusOptions): PostgresServer {
  const admin = quietPool(url, 1);
  const all: string[] = [];
  const unused: string[] = [];
  const take = async (): Promise<string> => {
    const name = unused.pop() ?? (await createOnNodes(admin, url));
    if (!all.includes(name)) all.push(name);
    return name;
  };
  return {
    createDatabase: async () => {
      const name = await take();
      const ofDatabase = databaseUrl(url, name);
      if (distributes) await withClient(ofDatabase, (client) => client.query(DISTRIBUTES_CREATED_TABLES));
      return new PostgresDatabase(ofDatabase, EMPTY, async () => {
        await untilNobodyIsIn(name, admin);
        await admin.query(TERMINATE, [name]);
        await withClient(ofDatabase, (client) => client.query(EMPTY));
        unused.push(name);
      });
    },
    close: async () => {
      const nodes = await nodesOf(admin, url);
      for (const name of all) await dropOnNodes(nodes, name);
      await admin.end();
    },
  };
}

interface CitusNode {
  readonly nodename: string;
  readonly nodeport: number;
  readonly url: string;
  readonly isCoordinator: boolean;
  readonly shouldhaveshards: boolean;
}

async function nodesOf(admin: pg.Pool, url: string): Promise<CitusNode[]> {
  const { rows } = await admin.query<Omit<CitusNode, "url">>(NODES);
  return rows.map((row) => {
    const ofNode = new URL(url);
    ofNode.hostname = row.nodename;
    ofNode.port = String(row.nodeport);
    return { ...row, url: row.isCoordinator ? url : ofNode.href };
  });
}

async function createOnNodes(admin: pg.Pool, url: string): Promise<string> {
  const nodes = await nodesOf(admin, url);
  const name = `checkpoint_${randomBytes(8).toString("hex")}`;
  await Promise.all(
    nodes.map(async (node) => {
      await withClient(node.url, (client) => client.query(`create database ${name}`));
      await withClient(databaseUrl(node.url, name), (client) => client.query("create extension citus"));
    }),
  );
  await withClient(databaseUrl(url, name), async (client) => {
    for (const { nodename, nodeport, isCoordinator, shouldhaveshards } of nodes) {
      const address = [nodename, nodeport];
      await client.query(
        isCoordinator ? "select citus_set_coordinator_host($1, $2)" : "select citus_add_node($1, $2)",
        address,
      );
      await client.query("select citus_set_node_property($1, $2, 'shouldhaveshards', $3)", [
        ...address,
        shouldhaveshards,
      ]);
    }
  });
  return name;
}

async function dropOnNodes(nodes: readonly CitusNode[], name: string): Promise<void> {
  await Promise.all(
    nodes.map((node) =>
      withClient(node.url, async (client) => {
        const drop = () => client.query(`drop database if exists ${name} with (force)`);
        // Another node may have connected meanwhile.
        await drop().catch(drop);
      }),
    ),
  );
}

// The coordinator first: the others are added to it.
const NODES = `
  select nodename, nodeport, groupid = 0 as "isCoordinator", shouldhaveshards
  from pg_dist_node where noderole = 'primary' and isactive order by groupid`;

const TERMINATE = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = $1 and backend_type = 'client backend' and pid <> pg_backend_pid()`;

/**
 * Distributes the tables of savers in the transaction that creates them, whoever creates them: so each later step of the
 * migration runs on distributed tables. The function is in the schema of the extension, where no test looks for it. Few
 * shards, because each one costs a table on a node.
 */
const DISTRIBUTES_CREATED_TABLES = `
  create function citus.distribute_created_tables() returns event_trigger language plpgsql as $$
  declare
    created oid;
    wanted text;
    together text;
  begin
    -- Otherwise Citus refuses a function that is created later in the transaction.
    perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
    for created in
      select c.oid from pg_event_trigger_ddl_commands() command
      join pg_class c on c.oid = command.objid and command.classid = 'pg_class'::regclass
      where command.command_tag = 'CREATE TABLE' and c.relkind = 'r'
        and c.relname in ('checkpoints', 'checkpoint_blobs', 'checkpoint_writes', 'checkpoint_tombstones',
          'checkpoint_conversations')
        and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid)
    loop
      -- As \`migrate --distribute\` does: tables are together only if their threads have the same collation.
      select distinct k.collname into wanted from pg_attribute a
      join pg_dist_partition d on d.logicalrelid = a.attrelid
      join pg_class c on c.oid = a.attrelid
      join pg_collation k on k.oid = a.attcollation
      where a.attname = 'thread_id' and c.relnamespace = (select relnamespace from pg_class where oid = created);
      if wanted is not null then
        execute format('alter table %s alter thread_id type text collate %I', created::regclass, wanted);
      end if;
      select d.logicalrelid::text into together from pg_dist_partition d
      join pg_class c on c.oid = d.logicalrelid
      where d.partmethod = 'h' and c.relnamespace = (select relnamespace from pg_class where oid = created)
      limit 1;
      if together is null then
        perform create_distributed_table(created, 'thread_id', shard_count => 4, colocate_with => 'none');
      else
        perform create_distributed_table(created, 'thread_id', colocate_with => together);
      end if;
    end loop;
  end $$;
  create event trigger distribute_created_tables on ddl_command_end when tag in ('CREATE TABLE')
    execute function citus.distribute_created_tables()`;

/** Drops what tests create, and leaves the extension, two views of which are in `public`. */
const EMPTY = `
begin read write;
do $$
declare
  statement text;
begin
  drop event trigger if exists distribute_created_tables;
  drop function if exists citus.distribute_created_tables;
  -- All names first: a cascade also drops what comes later.
  foreach statement in array array(
    select format('alter database %I reset all', current_database())
    union all
    select format('drop schema %I cascade', nspname) from pg_namespace s
    where nspname not like 'pg\\_%' and nspname not in ('information_schema', 'public')
      and not exists (select from pg_depend d where d.objid = s.oid and d.deptype = 'e')
    union all
    select format('drop %s if exists %s cascade', kind, oid::regclass) from (
      select oid, case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')
    ) r where not exists (select from pg_depend d where d.objid = r.oid and d.deptype in ('e', 'i'))
    union all
    select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  )
  loop
    execute statement;
  end loop;
end
$$;
commit`;
