import { randomBytes } from "node:crypto";
import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { cliOn } from "../cli/cli.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { documentedSql } from "./documented-sql.js";

const PASSWORD = "secret";

/**
 * A database that is set up for tenants as docs/tenants.md describes, and the access of a service and an
 * operator to it.
 */
export interface Tenancy {
  /** The role that the service connects as. The policies apply to it. */
  readonly role: string;
  /** The connections that the service's savers share: a pool, or the one session of PGlite. */
  readonly source: pg.Pool | PGlite;
  /** Creates a saver on {@link source}. */
  saver(tenantId?: string): PostgresSaver;
  /** Runs a statement as the owner of the tables, who sees all rows. */
  asOwner(sql: string): Promise<Record<string, unknown>[]>;
  /** Runs any number of statements as the owner. */
  operate(sql: string): Promise<void>;
  /** The tenant setting of each of the service's connections. */
  settings(): Promise<unknown[]>;
  close(): Promise<void>;
}

export interface TenancyOptions {
  /**
   * Puts a pooler between the service and the server. The connection string is the one of the service's role.
   */
  readonly through?: (url: string) => Promise<string>;
  /** The size of the service's own pool. Default: {@link CONNECTIONS}. */
  readonly clients?: number;
  /** The optional tables that exist besides. Their policies are not set up. */
  readonly with?: readonly string[];
  /** The options of the service's savers. */
  readonly options?: PostgresSaverOptions;
}

/** How many connections to the server the service has. */
export const CONNECTIONS = 3;

const SETTING = "select current_setting('langgraph.tenant_id', true) as tenant";

/** The tables that hold rows of threads. */
export const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_tombstones"];

/** Why suites about tenants don't run on Citus. */
export const NO_ROW_SECURITY = "row security does not reach the nodes";

/** All rows of the other tenants, with `xmin`, which shows whether a row was changed. */
export async function rowsOfOthers(tenancy: Tenancy, tenantId: string): Promise<unknown> {
  const rows = TABLES.map((table) =>
    tenancy.asOwner(
      `select *, xmin::text from ${table} where thread_id not like '${tenantId}:%' order by ${table}::text`,
    ),
  );
  return Promise.all(rows);
}

/** Migrates a database, grants a role the privileges that a saver needs, and sets up row-level security. */
export async function openTenancy(target: Target, options: TenancyOptions = {}): Promise<Tenancy> {
  const { through = (url: string) => Promise.resolve(url), clients = CONNECTIONS } = options;
  const schema = options.options?.schema ?? "public";
  const database = await target.createDatabase();
  const role = `service_${randomBytes(8).toString("hex")}`;
  const run = cliOn(database);
  const optional = (options.with ?? []).flatMap((tables) => ["--with", tables]);
  await run("migrate", "--schema", schema, ...optional);
  await database.exec(`create role ${role} login password '${PASSWORD}'; create role ${role}_reader`);
  const roles = ["--read-write", role, "--read-only", `${role}_reader`];
  const grants = await run("migrate", "--print-grants", "--schema", schema, ...optional, ...roles);
  await database.exec(grants.stdout);
  await database.exec(await setUpSql(schema));
  const { source } = database;
  if (typeof source !== "string")
    return onPglite({ database, role, options: { ...options.options, schema } }, source);
  const pool = new pg.Pool({ connectionString: await through(urlOf(source, role)), max: clients });
  return onServer({ database, role, options: { ...options.options, schema } }, pool);
}

/** The set-up SQL of docs/tenants.md, for another schema. */
export async function setUpSql(schema = "public"): Promise<string> {
  const { setUp } = await documentedSql();
  return setUp.replace("search_path to public", `search_path to "${schema.replaceAll('"', '""')}"`);
}

/** The connection string of another role. */
export function urlOf(source: string, role: string): string {
  const url = new URL(source);
  url.username = role;
  url.password = PASSWORD;
  return url.href;
}

interface Place {
  readonly database: TestDatabase;
  readonly role: string;
  readonly options: PostgresSaverOptions;
}

function onServer({ database, role, options }: Place, pool: pg.Pool): Tenancy {
  return {
    role,
    source: pool,
    saver: (tenantId) => new PostgresSaver(pool, undefined, { ...options, tenantId }),
    asOwner: (sql) => database.query(sql),
    operate: (sql) => database.exec(sql),
    settings: () => settingsOf(pool),
    close: async () => {
      await pool.end();
      await dropRoles(database, role);
    },
  };
}

/** PGlite has one session. It belongs to the service, except while the owner runs statements. */
async function onPglite({ database, role, options }: Place, source: PGlite): Promise<Tenancy> {
  const asService = `set role ${role}`;
  const asOwner = async <T>(run: () => Promise<T>): Promise<T> => {
    await database.exec("reset role");
    try {
      return await run();
    } finally {
      await database.exec(asService);
    }
  };
  await database.exec(asService);
  return {
    role,
    source,
    saver: (tenantId) => new PostgresSaver(source, undefined, { ...options, tenantId }),
    asOwner: (sql) => asOwner(() => database.query(sql)),
    operate: (sql) => asOwner(() => database.exec(sql)),
    settings: () => database.query(SETTING).then((rows) => rows.map(({ tenant }) => tenant)),
    close: () => Promise.resolve(),
  };
}

/** Takes all connections at once, so that it reads each of them. */
async function settingsOf(pool: pg.Pool): Promise<unknown[]> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()));
  try {
    // An open transaction keeps a pooler from giving several clients the same server connection.
    await Promise.all(clients.map((client) => client.query("begin")));
    const results = await Promise.all(clients.map((client) => client.query<{ tenant: unknown }>(SETTING)));
    await Promise.all(clients.map((client) => client.query("rollback")));
    return results.flatMap(({ rows }) => rows.map(({ tenant }) => tenant));
  } finally {
    for (const client of clients) client.release();
  }
}

// Roles belong to the whole server, and outlive the database of a test.
async function dropRoles(database: TestDatabase, role: string): Promise<void> {
  for (const name of [role, `${role}_reader`])
    await database.exec(`drop owned by ${name}; drop role ${name}`);
}
