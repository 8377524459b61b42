import { afterEach, expect, it } from "@jest/globals";
import { PGlite } from "@electric-sql/pglite";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type Dialect, Kysely, PostgresDialect } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import pg from "pg";
import postgres from "postgres";
import { PostgresCache } from "../../src/cache/index.js";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import type { LibraryDatabase } from "../../src/db/checkpoint-database.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { allVersions, collect, metadataOf } from "../../test-support/checkpoints.js";
import { describePglite, describeServer, type TestDatabase } from "../../test-support/targets.js";

/** Settings that change how Postgres reads or writes values, or how transactions begin. */
const SETTINGS = {
  array_nulls: "off",
  backslash_quote: "off",
  bytea_output: "escape",
  client_encoding: "LATIN1",
  DateStyle: "SQL, DMY",
  default_text_search_config: "pg_catalog.simple",
  default_transaction_deferrable: "on",
  default_transaction_isolation: "serializable",
  escape_string_warning: "off",
  extra_float_digits: "-10",
  IntervalStyle: "sql_standard",
  lc_monetary: "C",
  lc_numeric: "C",
  lc_time: "C",
  quote_all_identifiers: "on",
  search_path: "nowhere",
  standard_conforming_strings: "off",
  TimeZone: "Asia/Kathmandu",
  timezone_abbreviations: "Australia",
  transform_null_equals: "on",
  xmlbinary: "hex",
};

/** PGlite reads and writes UTF-8 only, has no other abbreviations, and begins its transactions itself. */
const NOT_IN_PGLITE = new Set(["client_encoding", "timezone_abbreviations", "default_transaction_isolation"]);

/** The types that applications read in ways of their own: int8, numeric, json, jsonb, bytea, timestamptz, text[] and name[]. */
const OFTEN_PARSED = [20, 1700, 114, 3802, 17, 1184, 1009, 1003];

/** Parsers of an application, for some types or for all. */
function typesOf(oids?: readonly number[]): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid, format): unknown =>
      oids?.includes(oid) === false ? pg.types.getTypeParser(oid, format) : parse,
  };
}

/** No query that reads the value can work with this. */
function parse(text: string): unknown {
  return /^\d+$/.test(text) ? BigInt(text) : { text };
}

/** What settings could change: empty values, values beside NULLs, texts that look like NULL, backslashes, floats. */
const PLAIN = {
  empty: "",
  nothing: null,
  null: "NULL",
  quoted: String.raw`\'"\\{}`,
  wide: "né 日本",
  third: 1 / 3,
};
const VALUES = { ...PLAIN, bytes: new Uint8Array([0, 39, 92, 255]), noBytes: new Uint8Array() };
const NAMES = ["NULL", String.raw`\'"{}`];

describeServer("settings of a database, and parsers of an application", (target) => {
  const opened: { end(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.end()));
  });

  const openPool = (connectionString: string, types?: pg.CustomTypesConfig): pg.Pool => {
    const pool = new pg.Pool({ connectionString, types });
    opened.push(pool);
    return pool;
  };
  const openKysely = (dialect: Dialect): Kysely<LibraryDatabase> => {
    const kysely = new Kysely<LibraryDatabase>({ dialect });
    opened.push({ end: () => kysely.destroy() });
    return kysely;
  };

  const sources: Record<string, (url: string) => Source> = {
    "a connection string": (url) => url,
    "a pool": (url) => openPool(url, typesOf()),
    "a Kysely on pg": (url) =>
      openKysely(
        new PostgresDialect({ pool: new pg.Pool({ connectionString: url, types: typesOf(OFTEN_PARSED) }) }),
      ),
    "a Kysely on postgres.js": (url) =>
      openKysely(new PostgresJSDialect({ postgres: postgres(url, { max: 2, onnotice: () => undefined }) })),
  };

  it.each(Object.entries(sources))("change nothing that %s stores and reads", async (_name, open) => {
    const usual = await target.createDatabase();
    const changed = await target.createDatabase();
    await changed.exec(alterDatabase(SETTINGS));
    expect(await storeOn(open(changed.source))).toEqual(await storeOn(usual.source));
    expect(await rowsOf(changed)).toEqual(await rowsOf(usual));
  });
});

describePglite("settings of a session, and parsers of an application", (target) => {
  it("change nothing that a PGlite stores and reads", async () => {
    const usual = await target.createDatabase();
    await using changed = new PGlite({
      parsers: Object.fromEntries([16, 23, 25, 701, ...OFTEN_PARSED].map((oid) => [oid, parse])),
    });
    for (const [name, value] of Object.entries(SETTINGS).filter(([name]) => !NOT_IN_PGLITE.has(name)))
      await changed.exec(`set ${name} = '${value}'`);
    expect(await storeOn(changed)).toEqual(await storeOn(usual.source));
  });
});

/** Sets defaults of all sessions that begin from now on. */
function alterDatabase(settings: Readonly<Record<string, string>>): string {
  const each = Object.entries(settings).map(
    ([name, value]) =>
      `execute format('alter database %I set ${name} = %L', current_database(), '${value}');`,
  );
  return `do $$ begin ${each.join(" ")} end $$`;
}

const TIMES = ["created_at", "updated_at", "expires_at", "deleted_at", "timestamp"];

/** What the tables contain, but the times at which it was stored. */
async function rowsOf(database: TestDatabase): Promise<unknown> {
  await database.exec(
    "do $$ begin execute format('alter database %I reset all', current_database()); end $$",
  );
  const tables = await database.query<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1",
  );
  const rows: unknown[] = [];
  for (const { name } of tables) {
    rows.push([
      name,
      await database.query(
        `select (to_jsonb(stored) - array[${TIMES.map((time) => `'${time}'`).join()}])::text as row from "${name}" as stored order by 1`,
      ),
    ]);
  }
  return rows;
}

type Source = string | pg.Pool | PGlite | Kysely<LibraryDatabase>;

/** Stores something with every class on a source, and returns what they read. */
async function storeOn(source: Source): Promise<unknown[]> {
  return [
    ...(await saveOn(source)),
    ...(await remember(source)),
    ...(await cache(source)),
    ...(await record(source)),
  ];
}

function isOfNow(time: Date | undefined): boolean {
  return time !== undefined && Math.abs(Date.now() - time.getTime()) < 60_000;
}

async function saveOn(source: Source): Promise<unknown[]> {
  await using saver = new PostgresSaver(source, undefined, { keepTombstones: true });
  await saver.setup();
  const read: unknown[] = [];
  for (const thread_id of NAMES) {
    let config: RunnableConfig = { configurable: { thread_id, checkpoint_ns: "" } };
    for (const [step, more] of [{}, { later: 1.5, text: "x".repeat(5_000) }].entries()) {
      const values = { ...VALUES, ...more };
      const versions = Object.fromEntries(Object.keys(values).map((name) => [name, step + 1]));
      const checkpoint = {
        ...emptyCheckpoint(),
        ...{ id: `1f000000-0000-6000-8000-00000000000${step}`, ts: "2026-01-01T00:00:00.000Z" },
        ...{ channel_values: values, channel_versions: versions },
      };
      config = await saver.put(config, checkpoint, metadataOf(step, PLAIN), allVersions(checkpoint));
    }
    await saver.putWrites(config, [...Object.entries(VALUES), ["undefined", undefined]], "task");
    read.push(
      await saver.getTuple(config),
      await collect(saver.list(config, { filter: { null: "NULL", nothing: null } })),
    );
    await saver.copyThread(thread_id, `${thread_id} copy`);
    const lines = await collect(saver.exportThreads({ threads: [thread_id] }));
    await saver.deleteThread(thread_id);
    read.push((await saver.listTombstones()).map(({ deletedAt }) => isOfNow(deletedAt)));
    await saver.liftTombstones([thread_id]);
    await saver.importThreads(lines);
    read.push(await saver.getTuple(config), (await saver.verify()).problems);
  }
  const health = await saver.health();
  return [...read, health.schema, (await saver.listThreads()).map(({ threadId }) => threadId)];
}

async function remember(source: Source): Promise<unknown[]> {
  await using store = new PostgresStore(source);
  await store.setup();
  for (const name of NAMES) {
    await store.put(["a", name], name, PLAIN, undefined, { ttl: 1 / 3 });
    await store.put(["b"], name, PLAIN);
  }
  const found = await store.search(["a"], { filter: { null: "NULL", nothing: null } });
  const items = [...found, await store.get(["b"], "NULL")].map((item) => [
    item?.namespace,
    item?.key,
    item?.value,
    ...[item?.createdAt, item?.updatedAt].map(isOfNow),
    // A third of a minute after the last change of the item.
    item?.expiresAt && item.expiresAt.getTime() - item.updatedAt.getTime(),
  ]);
  const lines = await collect(store.exportItems());
  return [
    items,
    await store.listNamespaces({}),
    lines.map((line) => /"ttl_minutes":[^,]*,.*/.exec(line)?.[0]),
  ];
}

async function cache(source: Source): Promise<unknown[]> {
  await using entries = new PostgresCache(source, { deadlineMs: 120_000, sweepIntervalMinutes: false });
  await entries.setup();
  await entries.set(Object.entries(VALUES).map(([key, value]) => ({ key: [NAMES, key], value })));
  await entries.set([{ key: [[], "alone"], value: undefined }]);
  return [await entries.get(Object.keys(VALUES).map((key) => [NAMES, key]))];
}

async function record(source: Source): Promise<unknown[]> {
  await using store = new PostgresCheckpointStore(source);
  await store.setup();
  const timestamp = new Date("2026-01-01T00:00:00.123Z");
  for (const executionId of NAMES) {
    await store.save(
      createCheckpoint({
        ...{ executionId, nodeName: executionId, state: PLAIN, timestamp },
        id: executionId,
      }),
    );
  }
  return [await store.latest("NULL"), await store.list("NULL")];
}
