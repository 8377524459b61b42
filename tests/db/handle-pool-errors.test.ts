import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, handlePoolErrors, PostgresSaver } from "../../src/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const NAME = "pool-errors";

interface Opened {
  readonly database: TestDatabase<string>;
  readonly proxy: TcpProxy;
  readonly pool: pg.Pool;
  readonly saver: PostgresSaver;
}

describeServer("handlePoolErrors, on the pool of a Kysely", (target) => {
  async function open(): Promise<Opened> {
    const database = await target.createDatabase();
    const proxy = await TcpProxy.open(database.source);
    const pool = handlePoolErrors(
      new pg.Pool({ connectionString: proxy.url, max: 3, application_name: NAME }),
    );
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = new PostgresSaver(db);
    await saver.setup();
    return { database, proxy, pool, saver };
  }

  const CONNECTIONS = `from pg_stat_activity where application_name = '${NAME}' and datname = current_database()`;

  // Without a listener for an error of a connection, Jest fails the test, as Node would end the process.
  it("keeps the process alive when idle connections are killed", async () => {
    const { database, proxy, pool, saver } = await open();
    const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
    expect(pool.idleCount).toBeGreaterThan(0);
    expect(await database.query(`select pg_terminate_backend(pid) ${CONNECTIONS}`)).not.toHaveLength(0);
    await until(() => pool.totalCount === 0);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
    await pool.end();
    await proxy.close();
  });

  it("keeps the process alive when a connection is reset in use, and the statement is retried on another one", async () => {
    const { database, proxy, pool, saver } = await open();
    const { config } = await putValues(saver, threadConfig(newThread()), { a: [1] });
    const read = await database
      .kysely()
      .transaction()
      .execute(async (transaction) => {
        await transaction.schema.alterTable("checkpoints").setSchema("public").execute();
        const pending = saver.getTuple(config);
        await until(
          async () =>
            (await database.query(`select 1 ${CONNECTIONS} and wait_event_type = 'Lock'`)).length > 0,
        );
        proxy.resetAll();
        return { pending };
      });
    expect((await read.pending)?.checkpoint.channel_values).toEqual({ a: [1] });
    await pool.end();
    await proxy.close();
  });

  it("adds its listeners once, however often it is called", () => {
    const pool = new pg.Pool();
    expect(handlePoolErrors(handlePoolErrors(pool))).toBe(pool);
    expect(pool.listenerCount("error")).toBe(1);
    expect(pool.listenerCount("acquire")).toBe(1);
  });
});
