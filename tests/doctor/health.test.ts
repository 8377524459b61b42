import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  type CheckpointDatabase,
  CheckpointError,
  type DatabaseSource,
  handlePoolErrors,
  PostgresSaver,
  type PostgresSaverOptions,
  ShallowPostgresSaver,
} from "../../src/index.js";
import { putValues, threadConfig } from "../support/checkpoints.js";
import { observedPool } from "../support/round-trips.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../support/targets.js";

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

  it("is told of a database that was not used yet, without the time that it takes to open one in this process", async () => {
    const { source } = await target.createDatabase();
    const saver = openSaver(typeof source === "string" ? source : "memory://");
    const began = performance.now();
    const { error, latencyMs } = await saver.health();
    expect(error?.code).toBe("MIGRATION_REQUIRED");
    if (target.name === "pglite") expect(latencyMs).toBeLessThan((performance.now() - began) / 2);
    expect(await openSaver("memory://").health({ signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { code: "ABORTED" },
    });
  });

  it("never rejects: of a saver that is closed, and with options that can't be used", async () => {
    const saver = openSaver("memory://");
    const odd = await saver.health({ signal: "now" as never });
    expect(odd).toMatchObject({ ok: false, error: { code: "INVALID_CONFIG" } });
    const unknown = await saver.health({ timeoutMs: 1 } as object);
    expect(unknown).toMatchObject({
      ok: false,
      error: { code: "INVALID_CONFIG", field: "options.timeoutMs" },
    });
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

  describe("of a role", () => {
    let database: TestDatabase<string>;
    let url: string;
    const role = `health_${Date.now()}`;

    beforeEach(async () => {
      database = await target.createDatabase();
      await openSaver(database.source).setup();
      await database.exec(`
        create role ${role} login password 'pa55word';
        grant usage on schema public to ${role};
        grant select on all tables in schema public to ${role}`);
      const named = new URL(database.source);
      named.username = role;
      named.password = "pa55word";
      url = named.href;
    });
    afterEach(() => database.exec(`drop owned by ${role}; drop role ${role}`));

    const grant = (rights: string): Promise<void> =>
      database.exec(`grant ${rights} on checkpoints, checkpoint_blobs, checkpoint_writes to ${role}`);

    it("that may not write is not well, and names each privilege that is missing", async () => {
      await grant("insert");
      await database.exec(`revoke insert on checkpoint_writes from ${role}`);
      const { ok, missingPrivileges, error } = await openSaver(url).health();
      expect({ ok, code: error?.code }).toEqual({ ok: false, code: "PERMISSION_DENIED" });
      expect(error).toMatchObject({ sqlState: "42501" });
      expect(error?.message).toContain(
        "it lacks insert on checkpoint_writes, update on checkpoint_blobs, update on checkpoint_writes, update on checkpoints",
      );
      expect(missingPrivileges).toEqual(expect.arrayContaining(["insert on checkpoint_writes"]));
    });

    it("is well where it may store checkpoints, though it may not delete threads", async () => {
      await grant("insert, update");
      const { ok, missingPrivileges } = await openSaver(url).health();
      expect(ok).toBe(true);
      expect(missingPrivileges).toContain("delete on checkpoints");
      const saver = openSaver(url);
      await expect(putValues(saver, threadConfig("t"), { a: 1 })).resolves.toBeDefined();
      expect((await openSaver(url, { keepTombstones: true }).health()).error?.code).toBe("PERMISSION_DENIED");
      const shallow = new ShallowPostgresSaver(url);
      opened.push(() => shallow.end());
      expect((await shallow.health()).error?.code).toBe("PERMISSION_DENIED");
      await grant("delete");
      expect((await shallow.health()).ok).toBe(true);
    });

    it("is not well with a tenant where the tables are not secured by rows", async () => {
      await grant("insert, update, delete");
      expect(await openSaver(url, { tenantId: "a" }).health()).toMatchObject({
        ok: false,
        error: { code: "ROW_SECURITY_INACTIVE" },
      });
    });
  });

  it("asks in four statements", async () => {
    const { pool, sent } = observedPool((await target.createDatabase()).source);
    opened.push(() => pool.end());
    const saver = openSaver(handlePoolErrors(pool));
    await saver.setup();
    sent.length = 0;
    expect((await saver.health()).ok).toBe(true);
    expect(sent).toHaveLength(4);
  });

  it("waits no longer for a connection of a pool that has none left", async () => {
    const database = await target.createDatabase();
    const pool = handlePoolErrors(new pg.Pool({ connectionString: database.source, max: 1 }));
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
    const pool = handlePoolErrors(new pg.Pool({ connectionString: database.source }));
    opened.push(() => pool.end());
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = openSaver(db);
    await saver.setup();
    const health = await saver.health();
    expect(health.ok).toBe(true);
    expect(health.pool).toBeUndefined();
  });
});
