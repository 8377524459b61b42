import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
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
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { startPglite } from "../../test-support/pglite-target.js";
import { observedPool } from "../../test-support/round-trips.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import {
  describeEachTarget,
  describePglite,
  describeServer,
  type TestDatabase,
} from "../../test-support/targets.js";

const opened: (() => Promise<unknown>)[] = [];

/** Closes what the tests of a suite open. Call it in the suite: hooks outside of it run after the database is dropped, which waits for them. */
function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });
}

function openSaver(source: DatabaseSource, options: PostgresSaverOptions = {}): PostgresSaver {
  const saver = new PostgresSaver(source, undefined, options);
  opened.push(() => saver.end());
  return saver;
}

describeEachTarget("health", (target) => {
  closeAfterEach();

  it("is ok when checkpoints can be stored", async () => {
    const saver = openSaver((await target.migratedDatabase()).source);
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

  it("is not ok when the schema is missing, and its error names the command to run", async () => {
    const saver = openSaver((await target.createDatabase()).source, { schema: "agents" });
    const { ok, schema, serverVersion, error } = await saver.health();
    expect({ ok, upToDate: schema?.upToDate }).toEqual({ ok: false, upToDate: false });
    expect(schema?.pending.length).toBeGreaterThan(1);
    expect(serverVersion).toBeDefined();
    expect(error).toMatchObject({ code: "MIGRATION_REQUIRED", pending: schema?.pending });
    expect(error?.message).toContain("langgraph-checkpoint-kysely migrate");
  });

  it("is not ok when the schema is older than the library", async () => {
    const database = await target.migratedDatabase();
    const saver = openSaver(database.source);
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

  it("opens an unused database", async () => {
    const { source } = await target.createDatabase();
    expect((await openSaver(source).health()).error?.code).toBe("MIGRATION_REQUIRED");
    expect(await openSaver(source).health({ signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      error: { code: "ABORTED" },
    });
  });

  it("never rejects, neither for a closed saver nor for invalid options", async () => {
    const { source } = await target.createDatabase();
    const saver = openSaver(typeof source === "string" ? source : "memory://");
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

describePglite("health of a PGlite that is opening", () => {
  closeAfterEach();

  it("doesn't count the time until it is open", async () => {
    const hour = 60 * 60 * 1000;
    const pglite = await startPglite();
    opened.push(() => pglite.close());
    const clock = jest.spyOn(performance, "now");
    // The clock goes an hour ahead while the PGlite opens, and then stops.
    const waitReady = pglite.waitReady.then(() => clock.mockReturnValue(performance.now() + hour));
    Object.defineProperty(pglite, "waitReady", { value: waitReady });
    try {
      const { error, latencyMs } = await openSaver(pglite).health();
      expect({ code: error?.code, latencyMs }).toEqual({ code: "MIGRATION_REQUIRED", latencyMs: 0 });
    } finally {
      clock.mockRestore();
    }
  });
});

describeServer("health of a server", (target) => {
  closeAfterEach();

  it("is not ok when no server answers, and returns immediately", async () => {
    const health = await openSaver("postgres://127.0.0.1:1/none").health();
    expect(health).toMatchObject({
      ok: false,
      error: { code: "CONNECTION_FAILED", cause: { code: "ECONNREFUSED" } },
      pool: { total: 0, idle: 0, waiting: 0 },
    });
    expect(health.serverVersion).toBeUndefined();
  });

  it("returns within its time limit when the server stops answering, and drops each connection", async () => {
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

  it("reports that the server accepts no writes", async () => {
    const database = await target.migratedDatabase();
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
      database = await target.migratedDatabase();
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

    it("is not ok without write privileges, and names each missing privilege", async () => {
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

    it("is ok if the role can store checkpoints, but not delete threads", async () => {
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

    it("is not ok with a tenantId on tables without row-level security", async () => {
      await grant("insert, update, delete");
      expect(await openSaver(url, { tenantId: "a" }).health()).toMatchObject({
        ok: false,
        error: { code: "ROW_SECURITY_INACTIVE" },
      });
    });
  });

  it("sends three statements", async () => {
    const { pool, sent } = observedPool((await target.createDatabase()).source);
    opened.push(() => pool.end());
    const saver = openSaver(handlePoolErrors(pool));
    await saver.setup();
    sent.length = 0;
    expect((await saver.health()).ok).toBe(true);
    expect(sent).toHaveLength(3);
  });

  it("stops waiting for a connection of an exhausted pool at its time limit", async () => {
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

  it("works on a passed-in Kysely, and then reports no pool", async () => {
    const database = await target.migratedDatabase();
    const pool = handlePoolErrors(new pg.Pool({ connectionString: database.source }));
    opened.push(() => pool.end());
    const db = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    const saver = openSaver(db);
    const health = await saver.health();
    expect(health.ok).toBe(true);
    expect(health.pool).toBeUndefined();
  });
});
