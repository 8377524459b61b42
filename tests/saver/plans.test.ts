import { expect, it } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { recordStatements } from "../../test-support/recorded-statements.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";

/** Postgres plans the first five runs of a prepared statement separately for their parameters. */
const ALWAYS_PLANNED = 5;
const READS = 20;

/** Above this estimated cost a server compiles a statement (`jit_above_cost`), which takes longer than a page. */
const COMPILED_ABOVE = 100_000;
const ENOUGH_FOR_FULL_PAGES = 1_500;

const describePlans = onOneServer("the nodes plan the statements about their threads", describeServer);

describePlans("the plan of a read", (target) => {
  it("is prepared once per connection, even in a database where a checkpoint has thousands of writes", async () => {
    const { source } = await target.migratedDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const saver = new PostgresSaver(pool);
    const [busy, calm] = [threadConfig(newThread()), threadConfig(newThread())];
    const written = await putValues(saver, busy, { log: ["a"] });
    await saver.putWrites(written.config, [["log", 1]], "0");
    await pool.query(
      `insert into checkpoint_writes
           (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
         select thread_id, checkpoint_ns, checkpoint_id, n::text, idx, channel, type, blob
         from checkpoint_writes, generate_series(1, 5000) as n`,
    );
    const { config } = await putValues(saver, calm, { log: ["b"], title: "c" });
    await pool.query("analyze");
    await pool.query("deallocate all");
    const reading = new PostgresSaver(pool);
    for (let n = 0; n < READS; n++) {
      await reading.getTuple(calm);
      await reading.getTuple(config);
    }
    const { rows } = await pool.query<{ custom: number; generic: number }>(
      `select custom_plans::integer as custom, generic_plans::integer as generic from pg_prepared_statements
       where statement not like '%pg_dist_partition%'`,
    );
    const once = { custom: ALWAYS_PLANNED, generic: READS - ALWAYS_PLANNED };
    expect(rows).toEqual([once, once]);
    await pool.end();
  });

  it("costs too little for JIT compilation, for each page of verify", async () => {
    const database = await target.migratedDatabase();
    const { pool, sent } = statementsOf(database.source);
    const saver = new PostgresSaver(pool);
    const { config } = await putValues(saver, threadConfig(newThread()), { log: ["a"], title: "b" });
    await saver.putWrites(config, [["log", 1]], "0");
    for (const table of ["checkpoints", "checkpoint_blobs"]) {
      await database.exec(
        `create temp table copied as select * from ${table};
         insert into ${table} select (jsonb_populate_record(null::${table}, row)).*
           from generate_series(1, ${ENOUGH_FOR_FULL_PAGES}) as n, copied,
             lateral (select to_jsonb(copied) || jsonb_build_object('thread_id', thread_id || n)) as _ (row);
         drop table copied`,
      );
    }
    await database.query("analyze");
    sent.splice(0);
    await saver.verify();
    const ofTables = sent.filter(({ text }) => text.includes("checkpoint"));
    expect(ofTables.length).toBeGreaterThan(3);
    for (const { text, values } of ofTables) {
      const [row] = await database.query<Explained>(`explain (format json) ${text}`, values);
      expect(row?.["QUERY PLAN"][0].Plan["Total Cost"]).toBeLessThan(COMPILED_ABOVE);
    }
    await pool.end();
  });
});

describePlans("the plan of a prune", (target) => {
  it("costs too little for JIT compilation, for the versions of many steps", async () => {
    const database = await target.migratedDatabase();
    await using recording = recordStatements(database.source);
    const { kysely, sent } = recording;
    const saver = new PostgresSaver(kysely);
    const threadId = newThread();
    const values = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`channel ${n}`, [n]] as const));
    let { config, checkpoint } = await putValues(saver, threadConfig(threadId), {});
    for (let step = 0; step < 20; step++)
      ({ config, checkpoint } = await putValues(saver, config, values, checkpoint));
    await database.query("analyze");
    sent.splice(0);
    await saver.prune([threadId]);
    const looking = sent.filter(({ text }) => text.includes("recursive"));
    expect(looking.length).toBeGreaterThan(0);
    for (const { text, parameters } of looking) {
      const [row] = await database.query<Explained>(`explain (format json) ${text}`, [...parameters]);
      expect(row?.["QUERY PLAN"][0].Plan["Total Cost"]).toBeLessThan(COMPILED_ABOVE);
    }
  });
});

describePlans("the plan of a transaction", (target) => {
  it("is prepared for all threads, and finds rows by an index although the tables were empty", async () => {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({
      ...{ connectionString: source, max: 1 },
      options: "-c plan_cache_mode=force_generic_plan",
    });
    const rules = { keepLast: 2, concurrency: "optimistic", keepTombstones: true } as const;
    const saver = new PostgresSaver(pool, undefined, rules);
    await saver.setup();
    const threadId = newThread();
    const { config } = await putValues(saver, threadConfig(threadId), { log: ["a"] });
    await saver.putWrites(config, [["log", 1]], "0");
    await putValues(saver, config, { log: ["b"] });
    await saver.deleteThread(threadId);
    const prepared = await pool.query<{ name: string; parameters: number }>(
      `select name, cardinality(parameter_types)::integer as parameters from pg_prepared_statements
       where statement like '%checkpoint%' and statement not like '%pg_dist_partition%'`,
    );
    expect(prepared.rows.length).toBeGreaterThan(8);
    for (const { name, parameters } of prepared.rows) {
      const given = Array.from({ length: parameters }, () => "null").join();
      const { rows } = await pool.query<object>(
        `explain execute "${name}" ${parameters === 0 ? "" : `(${given})`}`,
      );
      expect({ name, plan: JSON.stringify(rows) }).toMatchObject({
        plan: expect.not.stringContaining("Seq Scan on checkpoint"),
      });
    }
    await pool.end();
  });
});

const TABLES = ["checkpoint_blobs", "checkpoint_writes", "checkpoints"];

describePlans("the plan of an export", (target) => {
  it.each(["never", "just"])("scans no table in a database that was %s analyzed", async (analyzed) => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source);
    await saver.end();
    await database.exec(`
      alter table checkpoints set (autovacuum_enabled = off);
      alter table checkpoint_blobs set (autovacuum_enabled = off);
      alter table checkpoint_writes set (autovacuum_enabled = off);
      insert into checkpoints (thread_id, checkpoint_id, checkpoint)
        select 't' || t, lpad(n::text, 6, '0'), jsonb_build_object('channel_versions', jsonb_build_object('a', n, 'b', n))
        from generate_series(1, 50) as t, generate_series(1, 40) as n;
      insert into checkpoint_blobs (thread_id, channel, version, type, blob)
        select 't' || t, channel, n::text, 'json', '\\x31'
        from generate_series(1, 50) as t, generate_series(1, 40) as n, unnest('{a,b}'::text[]) as channel;
      insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
        select 't' || t, lpad(n::text, 6, '0'), 'task', idx, 'a', 'json', '\\x31'
        from generate_series(1, 50) as t, generate_series(1, 40) as n, generate_series(0, 1) as idx`);
    if (analyzed === "just") await database.exec("analyze");
    const scans = await database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute(async (trx) => {
        const lines: string[] = [];
        for await (const line of new PostgresSaver(trx).exportThreads({ threads: ["t7"] })) lines.push(line);
        expect(lines).toHaveLength(203);
        const counted = sql<{ relname: string; scans: number }>`
          select relname, seq_scan::integer as scans from pg_stat_xact_user_tables
          where relname = any (${TABLES}) order by relname`;
        return (await counted.execute(trx)).rows;
      });
    expect(scans).toEqual(TABLES.map((relname) => ({ relname, scans: 0 })));
  });
});
type Explained = Record<"QUERY PLAN", readonly [{ readonly Plan: { readonly "Total Cost": number } }]>;

/** A pool that records what it sends, with the parameters. */
function statementsOf(connectionString: string) {
  const sent: { text: string; values: unknown[] }[] = [];
  const pool = new pg.Pool({ connectionString });
  pool.on("connect", (client) => {
    const query: (config: pg.QueryConfig) => Promise<pg.QueryResult> = client.query.bind(client);
    Object.assign(client, {
      query: (config: pg.QueryConfig) => {
        const values: readonly unknown[] = config.values ?? [];
        sent.push({ text: config.text, values: [...values] });
        return query(config);
      },
    });
  });
  return { pool, sent };
}
