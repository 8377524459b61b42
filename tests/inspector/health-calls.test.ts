import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { urlOf } from "../tenants/tenancy.js";

describeEachTarget("the health call of the inspector", (target) => {
  it("reports what doctor finds with remedies, the worst first, and what is to be migrated", async () => {
    const database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source);
    const calls = new InspectorCalls(saver);
    const well = await calls.read("health", {});
    expect(well.findings.filter(({ state }) => state === "error")).toEqual([]);
    expect(well.findings).toContainEqual({
      check: "saver",
      state: "ok",
      message: "checkpoints can be stored",
    });
    expect(well.migrations).toMatchObject({ pending: [], unknown: [] });
    expect(well.migrations.applied.length).toBeGreaterThan(3);
    expect(well.latencyMs).toBeGreaterThan(0);
    if (target.name === "postgres") expect(well.pool).toMatchObject({ total: 1, idle: 1, waiting: 0 });
    else expect(well.pool).toBeUndefined();

    await database.exec(
      "delete from checkpoint_kysely_migration where name = (select max(name) from checkpoint_kysely_migration)",
    );
    const behind = await calls.read("health", {});
    expect(behind.migrations.pending).toEqual(well.migrations.applied.slice(-1));
    const [worst] = behind.findings;
    expect(worst?.state).toBe("error");
    expect(behind.findings.find(({ check }) => check === "schema")).toMatchObject({
      state: "error",
      remedy: expect.stringContaining("migrate"),
    });
    expect(behind.findings.at(-1)?.state).toBe("ok");
  });
});

describeServer("the health call of the inspector", (target) => {
  it("takes no connection of the saver's pool for the checks, and leaves none behind", async () => {
    const database = await target.createDatabase();
    const pool = new pg.Pool({
      connectionString: database.source,
      max: 1,
      application_name: "health of a small pool",
    });
    await using saver = new PostgresSaver(pool);
    await saver.setup();
    const { findings } = await new InspectorCalls(saver).read("health", {});
    expect(findings).toContainEqual({ check: "pooler", state: "ok", message: "no pooler detected" });
    expect(pool.totalCount).toBe(1);
    // The server ends a session after its client has closed the connection.
    await until(async () => {
      const rows = await database.query(
        "select from pg_stat_activity where application_name = 'health of a small pool'",
      );
      return rows.length === 1;
    });
    await pool.end();
  });

  it("leaves out what would need more connections of an application's Kysely", async () => {
    const { source } = await target.migratedDatabase();
    const pool = new pg.Pool({ connectionString: source, max: 1 });
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    await using saver = new PostgresSaver(kysely);
    const { findings } = await new InspectorCalls(saver).read("health", {});
    expect(findings.find(({ check }) => check === "pooler")).toMatchObject({ state: "unknown" });
    expect(findings.find(({ check }) => check === "schema")).toMatchObject({ state: "ok" });
    await kysely.destroy();
  });

  it("turns what the role may not see into findings, and a server that is gone too", async () => {
    const database = await target.migratedDatabase();
    await database.exec("create role health_reader login password 'secret'");
    await using reader = new PostgresSaver(urlOf(database.source, "health_reader"));
    const { findings } = await new InspectorCalls(reader).read("health", {});
    expect(findings.find(({ check }) => check === "privileges")).toMatchObject({ state: "error" });
    await database.exec("drop role health_reader");
    await using lost = new PostgresSaver("postgres://127.0.0.1:1/none", undefined, { retry: false });
    const gone = await new InspectorCalls(lost).read("health", {});
    expect(gone.findings).toMatchObject([{ check: "connection", state: "error" }]);
    expect(gone.migrations).toEqual({ applied: [], pending: [], unknown: [] });
  });

  it("names no host, user, database or password where a server is not reached or refuses the role", async () => {
    const { source } = await target.migratedDatabase();
    const unknown = urlOf(source, "hidden_user").replace("secret", "hidden-password");
    for (const [url, shown] of [
      ["postgres://hidden_user:hidden-password@hidden-host.invalid/hidden", /ENOTFOUND|EAI_AGAIN/],
      [unknown.replace(/\/[^/]*$/, "/hidden"), /SQLSTATE 28|SQLSTATE 3D000/],
      [source.replace(/\/[^/]*$/, "/hidden"), /SQLSTATE 3D000/],
    ] as const) {
      await using lost = new PostgresSaver(url, undefined, { retry: false });
      await using misled = new PostgresSaver(source, undefined, { replica: url });
      const answers = [
        JSON.stringify((await new InspectorCalls(lost).read("health", {})).findings),
        JSON.stringify((await new InspectorCalls(misled).read("health", {})).findings),
      ];
      for (const answer of answers) {
        expect(answer).toMatch(shown);
        expect(answer).not.toMatch(/hidden/);
      }
    }
  });
});
