import { beforeEach, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { createOptionalIndexes, type PartitionLayout, partitionTables } from "../../src/migrations/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

const TABLES = ["checkpoints", "checkpoint_writes", "checkpoint_blobs"] as const;

/** Everything that a conversion must keep, but the partitions themselves. */
async function contentOf(database: TestDatabase): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for (const table of TABLES) {
    rows[table] = await database.query(`select * from ${table} order by ${table}::text collate "C"`);
  }
  return rows;
}

async function settingsOf(database: TestDatabase): Promise<unknown> {
  const names = TABLES.map((name) => `'${name}'`).join();
  const read = (sql: string) => database.query(sql.replace("$TABLES", `array[${names}]`));
  return {
    tables: await read(
      `select relname, relrowsecurity, relforcerowsecurity, relacl::text, pg_get_userbyid(relowner) as owner,
        obj_description(oid) as comment
       from pg_class where relname = any ($TABLES) order by relname`,
    ),
    columns: await read(
      `select relname, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, attcompression, attcollation,
        attstattarget, attacl::text, pg_get_expr(adbin, adrelid)
       from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where relname = any ($TABLES) order by relname, attnum`,
    ),
    indexes: await read(
      `select indexname, replace(indexdef, 'ON ONLY', 'ON') from pg_indexes where tablename = any ($TABLES) order by 1`,
    ),
    policies: await read("select * from pg_policies where tablename = any ($TABLES) order by tablename"),
    triggers: await read(
      `select pg_get_triggerdef(oid), tgenabled from pg_trigger
       where tgrelid::regclass::text = any ($TABLES) and not tgisinternal order by 1`,
    ),
    functions: await read(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace order by 1",
    ),
  };
}

function layoutsOf(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return database.query(
    `select inhparent::regclass::text as name, count(*)::int as partitions from pg_inherits
     where inhparent in (select oid from pg_class where relkind = 'p') group by 1 order by 1`,
  );
}

/** The storage settings of the partitions of `checkpoint_writes`. */
function storageOfPartitions(database: TestDatabase): Promise<Record<string, unknown>[]> {
  return database.query(
    `select bool_and(own.attcompression = parent.attcompression) as "isCompressedAlike",
       json_agg(distinct to_json(part.reloptions)::jsonb) as options,
       json_agg(distinct to_json(long.reloptions)::jsonb) as "toastOptions"
     from pg_inherits join pg_class as part on part.oid = inhrelid join pg_class as long on long.oid = part.reltoastrelid
     join pg_attribute as own on own.attrelid = part.oid and own.attname = 'blob'
     join pg_attribute as parent on parent.attrelid = inhparent and parent.attname = 'blob'
     where inhparent = 'checkpoint_writes'::regclass`,
  );
}

async function convert(database: TestDatabase, layout: PartitionLayout) {
  const { kysely, close } = openDatabase(database.source);
  try {
    return await partitionTables(kysely, { layout, lockTimeoutMs: 5_000 });
  } finally {
    await close();
  }
}

async function fill(saver: PostgresSaver, threads: number): Promise<void> {
  for (let thread = 0; thread < threads; thread++) {
    let config = threadConfig(newThread());
    for (let step = 0; step < 3; step++) {
      ({ config } = await putValues(saver, config, { list: [step, "x".repeat(3_000)], count: step }));
      await saver.putWrites(config, [["count", step]], "task");
    }
  }
}

const PARTITIONED = [
  { name: "checkpoint_blobs", partitions: 4 },
  { name: "checkpoint_writes", partitions: 4 },
  { name: "checkpoints", partitions: 4 },
];

describeServer("tables of savers", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
  });

  it("are converted to partitions and back, with all rows and everything that belongs to the tables", async () => {
    await using saver = new PostgresSaver(database.source);
    await saver.setup();
    await fill(saver, 5);
    const { kysely, close } = openDatabase(database.source);
    await createOptionalIndexes(kysely, { indexes: ["metadata-index", "run-index"] });
    await close();
    await database.exec(`
      create function count_rows() returns trigger language plpgsql as 'begin return null; end';
      create trigger counted after insert on checkpoints for each row execute function count_rows();
      create trigger off after insert on checkpoints for each row execute function count_rows();
      alter table checkpoints disable trigger off;
      create role "a reader";
      grant select, update on checkpoints to "a reader" with grant option;
      grant select (thread_id) on checkpoint_blobs to public;
      create policy own on checkpoints as restrictive for select to "a reader" using (thread_id in (select thread_id from checkpoint_writes));
      create policy written on checkpoint_writes with check (idx >= 0);
      alter table checkpoints enable row level security;
      alter table checkpoint_writes set (fillfactor = 70, toast.autovacuum_enabled = false);
      alter table checkpoints alter column thread_id set statistics 500;
      comment on table checkpoints is 'it''s ours'`);
    const [rows, settings, schema] = [
      await contentOf(database),
      await settingsOf(database),
      await dumpSchema(database),
    ];

    expect(await convert(database, "hash:4")).toEqual({
      layout: "hash:4",
      isConverted: true,
      rows: { checkpoints: 15, checkpoint_writes: 15, checkpoint_blobs: 15 },
    });
    expect(await layoutsOf(database)).toMatchObject(expect.arrayContaining(PARTITIONED));
    expect(await contentOf(database)).toEqual(rows);
    expect(await settingsOf(database)).toEqual(settings);
    expect(await storageOfPartitions(database)).toEqual([
      {
        isCompressedAlike: true,
        options: [["fillfactor=70"]],
        toastOptions: [["autovacuum_enabled=false"]],
      },
    ]);
    expect(await convert(database, "hash:4")).toMatchObject({ isConverted: false });
    await convert(database, "hash:2");
    await convert(database, "none");
    expect(await contentOf(database)).toEqual(rows);
    expect(await settingsOf(database)).toEqual(settings);
    expect(await dumpSchema(database)).toEqual(schema);
    await database.exec('drop owned by "a reader"; drop role "a reader"');
  });
});
