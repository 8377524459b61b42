import { afterEach, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  CheckpointError,
  type DatabaseSource,
  guardPool,
  PostgresSaver,
  type PostgresSaverOptions,
} from "../../src/index.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { describeEachTarget, describeServer } from "../support/targets.js";

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function openSaver(source: DatabaseSource, options: PostgresSaverOptions = {}): PostgresSaver {
  const saver = new PostgresSaver(source, undefined, options);
  opened.push(() => saver.end());
  return saver;
}

describeEachTarget("health", (target) => {
  it("is well where checkpoints can be stored", async () => {
    const saver = openSaver((await target.createDatabase()).source);
    await saver.setup();
    const health = await saver.health();
    expect(health).toMatchObject({
      ok: true,
      serverVersion: expect.stringMatching(/^\d+/),
      isReadOnly: false,
      schema: { upToDate: true, pending: [] },
    });
    expect(health.latencyMs).toBeGreaterThan(0);
    expect(health.error).toBeUndefined();
    if (target.name === "postgres") expect(health.pool).toMatchObject({ total: 1, waiting: 0 });
    else expect(health.pool).toBeUndefined();
  });

  it("is not well where the schema is missing, and says how to get it", async () => {
    const saver = openSaver((await target.createDatabase()).source, { schema: "agents" });
    const { ok, schema, serverVersion, error } = await saver.health();
    expect({ ok, upToDate: schema?.upToDate }).toEqual({ ok: false, upToDate: false });
    expect(schema?.pending.length).toBeGreaterThan(1);
    expect(serverVersion).toBeDefined();
    expect(error).toMatchObject({ code: "MIGRATION_REQUIRED", pending: schema?.pending });
    expect(error?.message).toContain("langgraph-checkpoint-kysely migrate");
  });

  it("is not well where the schema is older than the library", async () => {
    const database = await target.createDatabase();
    const saver = openSaver(database.source);
    await saver.setup();
    const [last] = await database.query<{ name: string }>(
      `delete from checkpoint_kysely_migration where name = (select max(name) from checkpoint_kysely_migration) returning name`,
    );
    const { ok, schema, error } = await saver.health();
    expect({ ok, schema, code: error?.code }).toEqual({
      ok: false,
      schema: { upToDate: false, pending: [last?.name] },
      code: "MIGRATION_REQUIRED",
    });
  });

  it("never rejects: of a saver that is closed, and with options that can't be used", async () => {
    const saver = openSaver("memory://");
    const odd = await saver.health({ signal: "now" as never });
    expect(odd).toMatchObject({ ok: false, error: { code: "INVALID_CONFIG" } });
    await saver.end();
    expect(await saver.health()).toMatchObject({ ok: false, error: { code: "CONNECTION_FAILED" } });
    expect((await saver.health()).error).toBeInstanceOf(CheckpointError);
  });
});

describeServer("health of a server", (target) => {
  it("is not well where no server answers, which is told at once", async () => {
    const health = await openSaver("postgres://127.0.0.1:1/none").health();
    expect(health).toMatchObject({
      ok: false,
      error: { code: "CONNECTION_FAILED", cause: { code: "ECONNREFUSED" } },
      pool: { total: 0, idle: 0, waiting: 0 },
    });
    expect(health.serverVersion).toBeUndefined();
  });

  it("is told within its bound of a server that falls silent, and each connection is given up", async () => {
    const proxy = await TcpProxy.open((await target.createDatabase()).source);
    opened.push(() => proxy.close());
    const saver = openSaver(proxy.url);
    await saver.setup();
    const speakAgain = proxy.stall();
    const within = (): Promise<unknown> => saver.health({ signal: AbortSignal.timeout(50) });
    expect(await within()).toMatchObject({ ok: false, error: { code: "ABORTED" } });
    expect(await saver.health()).toMatchObject({ ok: false, error: { code: "CONNECTION_FAILED" } });
    speakAgain();
    let isWell = false;
    while (!isWell) isWell = (await saver.health()).ok;
    expect((await saver.health()).pool?.waiting).toBe(0);
  });

  it("says that the server takes no writes", async () => {
    const database = await target.createDatabase();
    await openSaver(database.source).setup();
    const { pathname } = new URL(database.source);
    await database.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
    expect(await openSaver(database.source).health()).toMatchObject({
      ok: false,
      isReadOnly: true,
      schema: { upToDate: true },
      error: { sqlState: "25006" },
    });
  });

  it("waits no longer for a connection of a pool that has none left", async () => {
    const database = await target.createDatabase();
    const pool = guardPool(new pg.Pool({ connectionString: database.source, max: 1 }));
    opened.push(() => pool.end());
    const taken = await pool.connect();
    const health = await openSaver(pool).health({ signal: AbortSignal.timeout(50) });
    expect(health).toMatchObject({
      ok: false,
      error: { code: "ABORTED" },
      pool: { total: 1, idle: 0, waiting: 1 },
    });
    taken.release();
  });

  it("is told by a Kysely that was lent, which keeps its pool to itself", async () => {
    const database = await target.createDatabase();
    const pool = guardPool(new pg.Pool({ connectionString: database.source }));
    opened.push(() => pool.end());
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = openSaver(db);
    await saver.setup();
    const health = await saver.health();
    expect(health.ok).toBe(true);
    expect(health.pool).toBeUndefined();
  });
});
