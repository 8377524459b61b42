import { Socket } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { StatementPool } from "../../src/db/pool/statement-pool.js";
import { sendPipeline, PreparedStatements } from "../../src/db/pool/pipeline.js";
import { toParameter } from "../../src/db/pool/to-query.js";
import type { BoundStatement } from "../../src/db/statements/statement.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const MODES = [
  { mode: "a client", config: {} },
  { mode: "a client that pipelines", config: { pipeline: true } },
  { mode: "a client that reads binary", config: { binary: true } },
  {
    mode: "a client whose socket can't be corked, as in Cloudflare Workers",
    config: { stream: () => Object.assign(new Socket(), { cork: undefined, uncork: undefined }) },
  },
];

describeServer("a pipeline", (target) => {
  const pools: pg.Pool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
  });

  async function openPool(config: object): Promise<pg.Pool> {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: source, ...config });
    pools.push(pool);
    await pool.query("create table items (id int primary key)");
    return pool;
  }

  async function send(
    client: pg.PoolClient,
    ...queries: { text: string; values?: unknown[] }[]
  ): Promise<unknown[][]> {
    return sendPipeline(
      client,
      queries.map(({ text, values = [] }) => ({ text, values: values.map((value) => toParameter(value)) })),
      new PreparedStatements(),
    );
  }

  describe.each(MODES)("of $mode", ({ config }) => {
    async function withClient(use: (client: pg.PoolClient, pool: pg.Pool) => Promise<void>): Promise<void> {
      const pool = await openPool(config);
      const client = await pool.connect();
      try {
        await use(client, pool);
      } finally {
        client.release();
      }
    }

    it("returns the result of each statement in order, including those without rows", () =>
      withClient(async (client) => {
        const results = await send(
          client,
          { text: "begin" },
          { text: "select $1::text as a", values: ["1"] },
          { text: "insert into items values (1)" },
          { text: "select i::text as a from generate_series(1, 5000) i" },
          { text: "select 'none' as a where false" },
          { text: "commit" },
        );
        expect(results).toHaveLength(6);
        expect([results[0], results[1], results[2], results[4], results[5]]).toEqual([
          [],
          [{ a: "1" }],
          [],
          [],
          [],
        ]);
        expect(results[3]).toHaveLength(5000);
        expect(results[3]?.[4999]).toEqual({ a: "5000" });
      }));

    it("returns the result of a single statement", () =>
      withClient(async (client) => {
        expect(await send(client, { text: "select 'x' as a" })).toEqual([[{ a: "x" }]]);
      }));

    it.each([0, 1, 2])("rolls back everything when statement %s fails, and leaves the client usable", (nth) =>
      withClient(async (client) => {
        const queries = [1, 2, 3].map((id) => ({ text: "insert into items values ($1)", values: [id] }));
        queries[nth] = { text: "insert into items values ($1 / 0)", values: [1] };
        await expect(send(client, ...queries)).rejects.toMatchObject({ code: "22012" });
        expect((await client.query("select from items")).rowCount).toBe(0);
        expect(await send(client, { text: "select '1' as a" }, { text: "select '2' as a" })).toEqual([
          [{ a: "1" }],
          [{ a: "2" }],
        ]);
      }),
    );

    it("is part of the open transaction", () =>
      withClient(async (client) => {
        await client.query("begin");
        await send(
          client,
          { text: "insert into items values (1)" },
          { text: "insert into items values (2)" },
        );
        await client.query("rollback");
        expect((await client.query("select from items")).rowCount).toBe(0);
      }));

    it("stores nothing and ends the connection when a statement can't be written", () =>
      withClient(async (client, pool) => {
        client.on("error", () => undefined);
        const queries = [
          { text: "insert into items values (1)", values: [] },
          { text: "select $1::text", values: [JSON.parse("5") as string] },
        ];
        await expect(sendPipeline(client, queries, new PreparedStatements())).rejects.toThrow(TypeError);
        await expect(client.query("select 1")).rejects.toThrow();
        expect((await pool.query("select from items")).rowCount).toBe(0);
      }));

    it("rejects when the connection dies", () =>
      withClient(async (client, pool) => {
        client.on("error", () => undefined);
        const rejection = expect(
          send(client, { text: "select 1" }, { text: "select pg_sleep(600)" }),
        ).rejects.toThrow();
        const end =
          "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(600)' and state = 'active' and pid <> pg_backend_pid() and datname = current_database()";
        await until(async () => (await pool.query(end)).rowCount !== 0);
        await rejection;
      }));
  });

  const POOLS: { mode: string; prepare: boolean; config: object }[] = [
    { mode: "a client", prepare: true, config: {} },
    { mode: "a client", prepare: false, config: {} },
    { mode: "a client that pipelines", prepare: true, config: { pipeline: true } },
  ];
  describe.each(POOLS)("of a pool, of $mode, prepare: $prepare", ({ prepare, config }) => {
    const tenant = { tenantId: "acme" };
    const setting = statement<{ tenant: string }>(
      "setting",
      "select current_setting('langgraph.tenant_id', true) as tenant",
      [],
    );
    const divide = (by: number): BoundStatement<{ result: number }> =>
      statement("divide", "select 10 / $1::int as result", [by]);

    it("sets the tenant for its own statement alone", async () => {
      const raw = await openPool({ ...config, max: 1 });
      const pool = new StatementPool(raw, { prepare });
      expect(await pool.execute(setting, tenant)).toEqual([{ tenant: "acme" }]);
      expect(await pool.execute(setting, {})).not.toEqual([{ tenant: "acme" }]);
      expect(await pool.execute(setting, tenant)).toEqual([{ tenant: "acme" }]);
    });

    it("uses a prepared statement whose first execution failed", async () => {
      const raw = await openPool({ ...config, max: 1 });
      const pool = new StatementPool(raw, { prepare });
      await expect(pool.execute(divide(0), tenant)).rejects.toMatchObject({ code: "22012" });
      for (let n = 0; n < 3; n++) expect(await pool.execute(divide(5), tenant)).toEqual([{ result: 2 }]);
      expect(await preparedOn(raw)).toEqual(prepare ? [{ name: "test_divide", runs: 3 }] : []);
      await expect(pool.execute(divide(0), tenant)).rejects.toMatchObject({ code: "22012" });
      expect(await pool.execute(divide(2), {})).toEqual([{ result: 5 }]);
    });

    it("prepares a statement that was never parsed, since the statement before it failed", async () => {
      const raw = await openPool({ ...config, max: 1 });
      const pool = new StatementPool(raw, { prepare });
      // Postgres refuses U+0000 in a parameter, so that the setting fails and the statement is never parsed.
      await expect(pool.execute(divide(5), { tenantId: "\0" })).rejects.toMatchObject({ code: "22021" });
      expect(await pool.execute(divide(5), tenant)).toEqual([{ result: 2 }]);
      expect(await pool.execute(divide(5), {})).toEqual([{ result: 2 }]);
      expect(await preparedOn(raw)).toEqual(prepare ? [{ name: "test_divide", runs: 2 }] : []);
    });

    it("works after DISCARD ALL", async () => {
      const raw = await openPool({ ...config, max: 1 });
      const pool = new StatementPool(raw, { prepare });
      await pool.execute(divide(5), tenant);
      await raw.query("discard all");
      expect(await pool.execute(divide(5), tenant)).toEqual([{ result: 2 }]);
      expect(await pool.execute(divide(2), tenant)).toEqual([{ result: 5 }]);
    });

    it("reads rows alike, whatever parsers the application has set", async () => {
      const types = {
        getTypeParser: () => () => {
          throw new RangeError("not parsed");
        },
      };
      const pool = new StatementPool(await openPool({ ...config, max: 1, types }), { prepare });
      const row = {
        text: "a",
        yes: true,
        no: false,
        count: -1,
        part: 0.5,
        nothing: null,
        long: "9223372036854775807",
      };
      const select = statement<typeof row>(
        "row",
        `select $1::text as text, true as yes, false as no, -1 as count, 0.5::float8 as part, null::integer as nothing,
          9223372036854775807 as long`,
        ["a"],
      );
      for (const rows of [await pool.execute(select, {}), await pool.execute(select, {})]) {
        expect(rows).toEqual([row]);
      }
    });

    it("does not mix up concurrent statements", async () => {
      const pool = new StatementPool(await openPool({ ...config, max: 3 }), { prepare });
      const results = await Promise.all(
        Array.from({ length: 60 }, (_, n) => pool.execute(setting, { tenantId: `tenant ${n}` })),
      );
      expect(results.map(([row]) => row?.tenant)).toEqual(results.map((_, n) => `tenant ${n}`));
    });

    it("sends a transaction, which a check can refuse", async () => {
      const raw = await openPool({ ...config, max: 1 });
      const pool = new StatementPool(raw, { prepare });
      const insert = (id: number): BoundStatement<unknown> =>
        statement("insert", "insert into items values ($1)", [id]);
      await pool.transact({ statements: [insert(1), insert(2)] }, tenant);
      const seen: unknown[] = [];
      const guard = [{ statement: setting, check: (rows: readonly unknown[]) => void seen.push(rows) }];
      await pool.transact({ guard, statements: [insert(3)] }, tenant);
      expect(seen).toEqual([[{ tenant: "acme" }]]);
      const refusing = [
        {
          statement: setting,
          check: () => {
            throw new RangeError("refused");
          },
        },
      ];
      await expect(pool.transact({ guard: refusing, statements: [insert(4)] }, {})).rejects.toThrow(
        "refused",
      );
      await expect(pool.transact({ statements: [insert(5), insert(1)] }, {})).rejects.toMatchObject({
        code: "23505",
      });
      expect((await raw.query("select id from items order by id")).rows).toEqual([
        { id: 1 },
        { id: 2 },
        { id: 3 },
      ]);
    });
  });
});

function statement<Row>(name: string, sql: string, parameters: readonly unknown[]): BoundStatement<Row> {
  return { name: `test_${name}`, sql, parameters };
}

/** The prepared statements of the pool's connection, and how often each has run since it was prepared. */
async function preparedOn(pool: pg.Pool): Promise<{ name: string; runs: number }[]> {
  const { rows } = await pool.query<{ name: string; runs: number }>(
    `select name, (generic_plans + custom_plans)::integer as runs
      from pg_prepared_statements where name like 'test%'`,
  );
  return rows;
}
