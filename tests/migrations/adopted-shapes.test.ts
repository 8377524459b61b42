import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { sql } from "kysely";
import { migrateToLatest } from "../../src/migrations/index.js";
import { openDatabase } from "../../src/db/index.js";
import type { OpenedDatabase } from "../../src/db/opened-database.js";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { complaints, examine } from "../cli/doctor/examine.js";

/** Tables that statements of this library can't use: what was changed, and the difference that is told. */
const REFUSED: readonly (readonly [sql: string, difference: string])[] = [
  [
    `alter table checkpoints alter column checkpoint_id type uuid using null, alter column metadata type json`,
    `"checkpoints" has the column "checkpoint_id" of type uuid, which must be text, and has the column "metadata" of type json, which must be jsonb`,
  ],
  [
    "alter table checkpoint_blobs alter column version type integer using 1",
    `"checkpoint_blobs" has the column "version" of type integer, which must be text`,
  ],
  [
    "alter table checkpoint_blobs alter column blob type text using null",
    `"checkpoint_blobs" has the column "blob" of type text, which must be bytea`,
  ],
  [
    "alter table checkpoint_blobs alter column whole_bytes type text",
    `"checkpoint_blobs" has the column "whole_bytes" of type text, which must be integer`,
  ],
  [
    "alter table checkpoint_writes alter column idx type bigint",
    `"checkpoint_writes" has the column "idx" of type bigint, which must be integer`,
  ],
  [
    "alter table checkpoints alter column thread_id type varchar(36)",
    `"checkpoints" has the column "thread_id" of at most 36 characters, which must be text`,
  ],
  [
    "alter table checkpoints alter column thread_id type char(300)",
    `"checkpoints" has the column "thread_id" of type character, which must be text`,
  ],
  [
    "alter table checkpoints alter column parent_checkpoint_id set not null",
    `"checkpoints" has the column "parent_checkpoint_id" with NOT NULL, which must allow NULL`,
  ],
  [
    "alter table checkpoints add column owner text not null",
    `"checkpoints" has the column "owner" with NOT NULL and without a default, which must allow NULL or have a default`,
  ],
  [
    "alter table checkpoint_writes alter column idx add generated always as identity",
    `"checkpoint_writes" has the column "idx" that the server generates, which must be a plain one`,
  ],
  [
    `alter table checkpoint_writes drop constraint checkpoint_writes_pkey,
      add primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx)`,
    `"checkpoint_writes" must have the primary key ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "idx")`,
  ],
  [
    `alter table checkpoints drop constraint checkpoints_pkey, alter column checkpoint_ns drop not null,
      add unique (thread_id, checkpoint_ns, checkpoint_id)`,
    `"checkpoints" has the column "checkpoint_ns" that allows NULL, which must be NOT NULL`,
  ],
  [
    `alter table checkpoints drop constraint checkpoints_pkey,
      add primary key (thread_id, checkpoint_ns, checkpoint_id) deferrable`,
    `"checkpoints" must have the primary key ("thread_id", "checkpoint_ns", "checkpoint_id")`,
  ],
  [
    "create unique index newest on checkpoints (thread_id, checkpoint_id) where checkpoint_ns = ''",
    `"checkpoints" has the unique index "newest", which refuses rows with different keys`,
  ],
  [
    "create unique index folded on checkpoints (lower(thread_id), checkpoint_ns, checkpoint_id)",
    `"checkpoints" has the unique index "folded", which refuses rows with different keys`,
  ],
  [
    `alter table checkpoint_writes add foreign key (thread_id, checkpoint_ns, checkpoint_id)
      references checkpoints on delete cascade`,
    `"checkpoint_writes" has a foreign key to "checkpoints", and must have none: their rows are stored in any order`,
  ],
  [
    "alter table checkpoint_blobs rename to renamed; create view checkpoint_blobs as select * from renamed",
    `"checkpoint_blobs" is a view and must be a table`,
  ],
  [
    "alter table checkpoint_tombstones alter column deleted_at type text",
    `"checkpoint_tombstones" has the column "deleted_at" of type text, which must be timestamp with time zone`,
  ],
  [
    "alter table checkpoint_migrations alter column v type text",
    `"checkpoint_migrations" has the column "v" of type text, which must be integer`,
  ],
  [
    "alter table store alter column created_at type timestamp, drop constraint store_pkey cascade",
    `"store" has the column "created_at" of type timestamp without time zone, which must be timestamp with time zone, and must have the primary key ("prefix", "key")`,
  ],
  [
    "alter table cache_entries alter column value type text using ''",
    `"cache_entries" has the column "value" of type text, which must be bytea`,
  ],
  [
    "alter table checkpoint_store alter column state type json",
    `"checkpoint_store" has the column "state" of type json, which must be jsonb`,
  ],
];

/** Other differences, with which every statement works. */
const ADOPTED: readonly string[] = [
  "alter table checkpoints alter column thread_id type varchar(255), alter column checkpoint_ns type varchar",
  `alter table checkpoint_blobs drop constraint checkpoint_blobs_pkey,
    add unique (version, channel, checkpoint_ns, thread_id)`,
  `alter table checkpoints add column owner text, add column stored_at timestamptz not null default now(),
    add column title text generated always as (metadata ->> 'title') stored`,
  `create table conversation (id text primary key); insert into conversation values ('thread');
    alter table checkpoints add foreign key (thread_id) references conversation;
    create unique index wider on checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id)`,
];

/** Ends a transaction without its changes. */
class RolledBack extends Error {}

const RECORDS = ["checkpoint", "store", "cache", "checkpoint_store"].map(
  (name) => `${name}_kysely_migration`,
);

const OPTIONAL = { with: ["store", "cache", "checkpoint-store"] } as const;

describeEachTarget("tables with the names and columns of LangGraph", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;

  beforeAll(async () => {
    database = await target.createDatabase();
    opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely, OPTIONAL);
  });

  afterAll(() => opened.close());

  it.each(REFUSED)("are refused with the difference: %s", async (change, difference) => {
    await opened.kysely
      .transaction()
      .execute(async (transaction) => {
        for (const statement of change.split(";")) await sql.raw(statement).execute(transaction);
        const migrated = () => migrateToLatest(transaction, OPTIONAL).catch((error: unknown) => error);
        const refused = {
          code: "INCOMPATIBLE_TABLES",
          message: `schema "public" has tables that differ from those of LangGraph: ${difference}. Alter them so, or use another schema`,
        };
        // An earlier version may have adopted them.
        expect(await migrated()).toMatchObject(refused);
        await sql.raw(`drop table ${RECORDS.join()}`).execute(transaction);
        expect(await migrated()).toMatchObject(refused);
        throw new RolledBack();
      })
      .catch((reason: unknown) => {
        if (!(reason instanceof RolledBack)) throw reason;
      });
  });

  let schemas = 0;
  it.each(ADOPTED)("are adopted where every statement works: %s", async (change) => {
    const schema = `adopted_${schemas++}`;
    await migrateToLatest(opened.kysely, { schema });
    await database.exec(
      `set search_path to ${schema}; ${change}; drop table checkpoint_kysely_migration; reset search_path`,
    );
    const saver = new PostgresSaver(database.source, undefined, { schema });
    await saver.setup();
    const { config } = await putValues(saver, threadConfig("thread"), { a: [1] });
    await saver.putWrites(config, [["a", 2]], "task");
    expect(await saver.getTuple(config)).toMatchObject({
      checkpoint: { channel_values: { a: [1] } },
      pendingWrites: [["task", "a", 2]],
    });
    expect(await saver.health()).toMatchObject({ ok: true });
    await saver.end();
  });

  it("are an error of doctor and of health, also where an earlier version has adopted them", async () => {
    const schema = "adopted";
    await migrateToLatest(opened.kysely, { schema });
    await database.exec(`alter table ${schema}.checkpoints alter column metadata type json`);
    const difference = `"checkpoints" has the column "metadata" of type json, which must be jsonb`;
    const saver = new PostgresSaver(database.source, undefined, { schema });
    expect(await saver.health()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining(difference) },
    });
    await saver.end();
    const findings = await examine(database, { schema });
    const remedy = "alter the tables as said, or use another schema";
    expect(complaints(findings, "schema")).toEqual([
      { state: "error", message: expect.stringContaining(difference), remedy },
    ]);
  });
});
