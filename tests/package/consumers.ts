/** A consumer with ES modules, which imports every subpath and uses its types. */
export const ESM_CONSUMER = `
import type { BaseCache, BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { ControlledTransaction, Kysely, Transaction } from "kysely";
import type pg from "pg";
import { CheckpointError, PostgresSaver } from "langgraph-checkpoint-kysely";
import { PostgresCache } from "langgraph-checkpoint-kysely/cache";
import { PostgresConversations } from "langgraph-checkpoint-kysely/conversations";
import { type CheckpointStore, MemoryCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store";
import { RedisCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store/redis";
import { SqliteCheckpointStore } from "langgraph-checkpoint-kysely/checkpoint-store/sqlite";
import { storeSuite } from "langgraph-checkpoint-kysely/conformance";
import { openDatabase, type CheckpointDatabase, type DatabaseSource, type StoreDatabase } from "langgraph-checkpoint-kysely/db";
import { createInspector, type InspectorOptions, nodeListener } from "langgraph-checkpoint-kysely/inspector";
import { migrateToLatest, migrationStatus } from "langgraph-checkpoint-kysely/migrations";
import { JsonSerializer, MsgpackSerializer } from "langgraph-checkpoint-kysely/serde";
import { PostgresStore } from "langgraph-checkpoint-kysely/store";

type IsAny<T> = 0 extends 1 & T ? true : false;

export const typed: [IsAny<CheckpointDatabase>, IsAny<PostgresSaver>, IsAny<typeof openDatabase>] = [false, false, false];
type IsSource<T> = T extends DatabaseSource ? true : false;
export const sources: [IsSource<pg.Pool>, IsSource<pg.PoolConfig>, IsSource<pg.Client>, IsSource<pg.PoolClient>] = [true, true, true, true];
type App = CheckpointDatabase & { orders: { id: number } };
export const onKysely = (app: Kysely<CheckpointDatabase> | Kysely<App> | Transaction<App> | ControlledTransaction<App>) => new PostgresSaver(app);
// @ts-expect-error A Kysely without the tables.
export const onOthers = (others: Kysely<{ orders: { id: number } }>) => new PostgresSaver(others);
export const asSaver = (saver: PostgresSaver): BaseCheckpointSaver => saver;
export const asStore = (store: PostgresStore): BaseStore => store;
export const asCache = (cache: PostgresCache): BaseCache => cache;
export const asCheckpointStore = (store: MemoryCheckpointStore<number>): CheckpointStore<number> => store;
export const inspect = (saver: PostgresSaver, options: InspectorOptions): ((request: Request) => Promise<Response>) => createInspector(saver, options);
export const rowsOf = (db: Kysely<CheckpointDatabase>) => db.selectFrom("checkpoints").selectAll().execute();
export const itemsOf = (db: Kysely<StoreDatabase>) => db.selectFrom("store").selectAll().execute();
export const isOurs = (error: unknown): error is CheckpointError => error instanceof CheckpointError;
export const isLocked = ({ code }: CheckpointError): boolean => code === "THREAD_LOCKED";
// @ts-expect-error A code with a typo.
export const isMisspelled = ({ code }: CheckpointError): boolean => code === "THREAD_LOKED";
export const named = [PostgresConversations, RedisCheckpointStore, SqliteCheckpointStore, storeSuite, nodeListener, openDatabase, migrateToLatest, migrationStatus, JsonSerializer, MsgpackSerializer];
`;

/** The same consumer as a CommonJS module. */
export const CJS_CONSUMER = `
import checkpoint = require("@langchain/langgraph-checkpoint");
// @ts-ignore Kysely 0.29 is an ES module, which some settings of TypeScript want to be marked.
import type { ControlledTransaction, Kysely, Transaction } from "kysely";
import pg = require("pg");
import root = require("langgraph-checkpoint-kysely");
import cache = require("langgraph-checkpoint-kysely/cache");
import checkpointStore = require("langgraph-checkpoint-kysely/checkpoint-store");
import redis = require("langgraph-checkpoint-kysely/checkpoint-store/redis");
import sqlite = require("langgraph-checkpoint-kysely/checkpoint-store/sqlite");
import conformance = require("langgraph-checkpoint-kysely/conformance");
import conversations = require("langgraph-checkpoint-kysely/conversations");
import db = require("langgraph-checkpoint-kysely/db");
import inspector = require("langgraph-checkpoint-kysely/inspector");
import migrations = require("langgraph-checkpoint-kysely/migrations");
import serde = require("langgraph-checkpoint-kysely/serde");
import store = require("langgraph-checkpoint-kysely/store");

type IsAny<T> = 0 extends 1 & T ? true : false;

const typed: [IsAny<db.CheckpointDatabase>, IsAny<root.PostgresSaver>, IsAny<typeof db.openDatabase>, IsAny<Kysely<object>>] = [false, false, false, false];
type IsSource<T> = T extends db.DatabaseSource ? true : false;
const sources: [IsSource<pg.Pool>, IsSource<pg.PoolConfig>, IsSource<pg.Client>, IsSource<pg.PoolClient>] = [true, true, true, true];
type App = db.CheckpointDatabase & { orders: { id: number } };
const onKysely = (app: Kysely<db.CheckpointDatabase> | Kysely<App> | Transaction<App> | ControlledTransaction<App>) => new root.PostgresSaver(app);
const asSaver = (saver: root.PostgresSaver): checkpoint.BaseCheckpointSaver => saver;
const asStore = (opened: store.PostgresStore): checkpoint.BaseStore => opened;
const asCache = (cached: cache.PostgresCache): checkpoint.BaseCache => cached;
const asCheckpointStore = (opened: checkpointStore.MemoryCheckpointStore<number>): checkpointStore.CheckpointStore<number> => opened;
const inspect = (saver: root.PostgresSaver, options: inspector.InspectorOptions): ((request: Request) => Promise<Response>) => inspector.createInspector(saver, options);
const isOurs = (error: unknown): error is root.CheckpointError => error instanceof root.CheckpointError;
const named = [conversations.PostgresConversations, redis.RedisCheckpointStore, sqlite.SqliteCheckpointStore, conformance.storeSuite, inspector.nodeListener, db.openDatabase, migrations.migrateToLatest, migrations.migrationStatus, serde.JsonSerializer, serde.MsgpackSerializer];
export = { typed, sources, onKysely, asSaver, asStore, asCache, asCheckpointStore, inspect, isOurs, named };
`;

const NAMES = {
  "": ["CheckpointError", "PostgresSaver"],
  "/cache": ["PostgresCache"],
  "/checkpoint-store": ["MemoryCheckpointStore", "copyCheckpoints"],
  "/checkpoint-store/redis": ["RedisCheckpointStore"],
  "/checkpoint-store/sqlite": ["SqliteCheckpointStore"],
  "/conformance": ["storeSuite"],
  "/conversations": ["PostgresConversations", "ConversationNotFoundError"],
  "/db": ["openDatabase"],
  "/inspector": ["createInspector", "nodeListener"],
  "/migrations": ["migrateToLatest", "migrationStatus"],
  "/serde": ["JsonSerializer", "MsgpackSerializer"],
  "/store": ["PostgresStore"],
};

/**
 * Programs that print the public names that a subpath lacks, and what answers for the page of the
 * inspector and for its script, one for each module system.
 */
export const RUNTIME_PROGRAMS = {
  "import.mjs": runtimeProgram((path) => `await import(${path})`),
  "require.cjs": runtimeProgram((path) => `require(${path})`),
};

/** The output of {@link RUNTIME_PROGRAMS} if nothing is missing. */
export const NOTHING_MISSING = [
  ...Object.keys(NAMES).map((subpath) => `langgraph-checkpoint-kysely${subpath} lacks []\n`),
  "200 text/html; charset=utf-8\n",
  "200 text/javascript; charset=utf-8\n",
].join("");

function runtimeProgram(load: (path: string) => string): string {
  const lines = Object.entries(NAMES).map(([subpath, names]) => {
    const path = JSON.stringify(`langgraph-checkpoint-kysely${subpath}`);
    return `print(${path}, ${load(path)}, ${JSON.stringify(names)});`;
  });
  return `
function print(path, module, names) {
  console.log(path, "lacks", JSON.stringify(names.filter((name) => typeof module[name] !== "function")));
}
${lines.join("\n")}

const { PostgresSaver } = ${load('"langgraph-checkpoint-kysely"')};
const { createInspector } = ${load('"langgraph-checkpoint-kysely/inspector"')};
const saver = new PostgresSaver("postgres://127.0.0.1:1/none");
const inspector = createInspector(saver, { authorize: () => true });
async function read(path) {
  const response = await inspector(new Request(new URL(path, "http://127.0.0.1/")));
  console.log(response.status, response.headers.get("content-type"));
  return response.text();
}
read("/")
  .then((html) => read(/src="([^"]+)"/.exec(html)[1]))
  .then(() => saver.end());
`;
}
