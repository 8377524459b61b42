import { afterEach, expect, it } from "@jest/globals";
import pg from "pg";
import { StatementPool } from "../../src/db/pool/statement-pool.js";
import { MAX_PREPARED_STATEMENTS } from "../../src/db/pool/pipeline.js";
import type { BoundStatement } from "../../src/db/statements/statement.js";
import { PostgresSaver } from "../../src/index.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeServer } from "../../test-support/targets.js";

const PREPARED =
  "select name from pg_prepared_statements where name like 'test_%' or name like 'checkpoint_%'";

interface Row {
  readonly n: number;
}

describeServer("the prepared statements of a connection", (target) => {
  const pools: pg.Pool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });

  async function openPool(config: pg.PoolConfig = {}): Promise<pg.Pool> {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1, ...config });
    pools.push(pool);
    return pool;
  }

  function numbered(n: number): BoundStatement<Row> {
    return { name: `test_${n}`, sql: `select ${n} / $1::int as n`, parameters: [1] };
  }

  async function preparedOn(pool: pg.Pool): Promise<string[]> {
    const client = await pool.connect();
    try {
      return (await client.query<{ name: string }>({ text: PREPARED })).rows.map(({ name }) => name);
    } finally {
      client.release();
    }
  }

  const CONTEXTS = [
    { how: "alone", config: {}, context: {} },
    { how: "in a pipeline with the tenant", config: {}, context: { tenantId: "acme" } },
    { how: "on a client that pipelines", config: { pipeline: true }, context: {} },
  ];
  it.each(CONTEXTS)(
    "are limited to the most recently used ones, when sent $how",
    async ({ config, context }) => {
      const raw = await openPool(config);
      const pool = new StatementPool(raw, { prepare: true });
      const more = 20;
      // The statement that sets the tenant is used again and again as well.
      const oldest = more + 1 + ("tenantId" in context ? 1 : 0);
      for (let n = 0; n < MAX_PREPARED_STATEMENTS + more; n++) {
        expect(await pool.execute(numbered(n), context)).toEqual([{ n }]);
        // This one is used again and again.
        expect(await pool.execute(numbered(0), context)).toEqual([{ n: 0 }]);
      }
      const names = await preparedOn(raw);
      expect(names).toHaveLength(MAX_PREPARED_STATEMENTS);
      expect(names).toContain("test_0");
      expect(names).not.toContain("test_1");
      expect(names).not.toContain(`test_${oldest - 1}`);
      expect(names).toContain(`test_${oldest}`);
      // A statement that was closed is prepared again, under its name.
      expect(await pool.execute(numbered(1), context)).toEqual([{ n: 1 }]);
      expect(await preparedOn(raw)).toContain("test_1");
      expect(await preparedOn(raw)).toHaveLength(MAX_PREPARED_STATEMENTS);
    },
  );

  it("are limited when statements fail", async () => {
    const raw = await openPool();
    const pool = new StatementPool(raw, { prepare: true });
    const failing = (n: number): BoundStatement<Row> => ({ ...numbered(n), parameters: [0] });
    for (let n = 0; n < MAX_PREPARED_STATEMENTS + 5; n++) {
      await expect(pool.execute(failing(n), {})).rejects.toMatchObject({ code: "22012" });
    }
    for (let n = 0; n < MAX_PREPARED_STATEMENTS + 5; n++)
      expect(await pool.execute(numbered(n), {})).toEqual([{ n }]);
    expect(await preparedOn(raw)).toHaveLength(MAX_PREPARED_STATEMENTS);
  });

  it("belong to transactions too, which send one that they repeat without its name at first", async () => {
    const raw = await openPool();
    const pool = new StatementPool(raw, { prepare: true });
    const steps = {
      guard: [{ statement: numbered(0) }],
      statements: [numbered(1), numbered(0), numbered(1)],
    };
    for (let run = 0; run < 3; run++) {
      expect(await pool.transact(steps, {})).toEqual([[{ n: 1 }], [{ n: 0 }], [{ n: 1 }]]);
    }
    const used = await raw.query(
      "select name, (custom_plans + generic_plans)::int as times from pg_prepared_statements order by name",
    );
    expect(used.rows).toEqual([
      { name: "test_0", times: 5 },
      { name: "test_1", times: 5 },
    ]);
  });

  it.each(["discard all", "drop table items; create table items (n bigint, more int)"])(
    "make a transaction run again without them, once, when the server has lost them: %s",
    async (loss) => {
      const raw = await openPool();
      await raw.query("create table items (n int)");
      const pool = new StatementPool(raw, { prepare: true });
      const insert = (n: number): BoundStatement<Row> => ({
        ...{ name: "test_insert", sql: "insert into items (n) values ($1) returning *", parameters: [n] },
      });
      await pool.transact({ statements: [numbered(0), insert(1)] }, {});
      await raw.query(loss);
      await raw.query("truncate items");
      expect(
        await pool.transact({ guard: [{ statement: insert(2) }], statements: [numbered(0)] }, {}),
      ).toEqual([[{ n: 0 }]]);
      expect((await raw.query("select n::int from items")).rows).toEqual([{ n: 2 }]);
    },
  );

  it("are limited for all savers on a pool together, without further round trips", async () => {
    const { source } = await target.createDatabase();
    const { pool, sent } = observedPool(source);
    pool.options.max = 1;
    pools.push(pool);
    const savers: PostgresSaver[] = [];
    for (const schema of ["agents_0", "agents_1", "agents_2"]) {
      await using saver = new PostgresSaver(source, undefined, { schema });
      await saver.setup();
      savers.push(new PostgresSaver(pool, undefined, { schema }));
    }
    const statementPool = new StatementPool(pool, { prepare: true });
    for (let n = 0; n < MAX_PREPARED_STATEMENTS - 1; n++) await statementPool.execute(numbered(n), {});
    sent.length = 0;
    for (const saver of savers) await saver.getTuple(threadConfig(newThread()));
    expect(sent).toHaveLength(savers.length);
    expect(await preparedOn(pool)).toHaveLength(MAX_PREPARED_STATEMENTS);
  });

  it("need one listener per client, however many savers use the client", async () => {
    const pool = await openPool();
    const listeners = new Set<number>();
    for (let n = 0; n < 20; n++) {
      await new StatementPool(pool, { prepare: true }).execute(numbered(n), {});
      const client = await pool.connect();
      listeners.add(client.listenerCount("error") + client.listenerCount("notice"));
      client.release();
    }
    expect([...listeners]).toEqual([2]);
  });
});
