import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import type { Finding } from "../../../src/doctor/finding.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../../test-support/embedded-server.js";
import { freePort } from "../../../test-support/free-port.js";
import { describePgBouncer } from "../../poolers/describe-pgbouncer.js";
import { PgBouncer, type PgBouncerOptions } from "../../poolers/pgbouncer.js";
import { cli } from "../cli.js";
import { complaints, examine, OPTIONS } from "./examine.js";

describe("doctor with a server of its own", () => {
  let server: EmbeddedServer;

  beforeAll(async () => {
    server = await startEmbeddedServer();
    expect((await cli(["migrate", "--url", server.url])).code).toBe(0);
  });
  afterAll(() => server.remove());

  async function send(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  async function doctor(): Promise<{ code: number; findings: Finding[] }> {
    const { code, stdout } = await cli(["doctor", "--json", "--url", server.url]);
    return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
  }

  it("warns if autovacuum is off, with a remedy", async () => {
    await send("alter system set autovacuum = off", "select pg_reload_conf()");
    await server.stop();
    await server.start();
    const remedy = "alter system set autovacuum = on; select pg_reload_conf()";
    const { code, findings } = await doctor();
    expect(code).toBe(0);
    expect(complaints(findings, "bloat")).toMatchObject([{ state: "warning", remedy }]);
    expect(complaints(findings, "settings").map(({ message }) => message.split(" ")[0])).toContain("fsync");
  });

  it("reports a standby as an error, and runs all other checks", async () => {
    await server.stop();
    await writeFile(join(server.data, "standby.signal"), "");
    await server.start();
    const { code, findings } = await doctor();
    expect(code).toBe(1);
    expect(findings.filter(({ state }) => state === "error")).toMatchObject([
      { check: "read-only", message: "the server is in recovery, and accepts no writes" },
    ]);
    expect(findings.filter(({ state }) => state === "unknown")).toEqual([]);
  });
});

describe("doctor without a connection", () => {
  it("prints the reason and a remedy", async () => {
    const argv = ["doctor", "--url", `postgres://app:secret@127.0.0.1:${await freePort()}/agents`];
    const { code, stdout, stderr } = await cli(argv);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^error: no connection to the database: .*ECONNREFUSED.*; start the server, or [^\n]+\n$/,
    );
    const failed = await cli([...argv, "--json"]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: "CONNECTION_FAILED" } });
  });

  it("prints the remedy for a missing database", async () => {
    const url = new URL(process.env.CHECKPOINT_TEST_SERVER ?? "");
    url.pathname = "/not_there";
    expect((await cli(["doctor", "--url", url.href])).stderr).toMatch(
      /; correct the database name, or create the database\n$/,
    );
  });
});

describePgBouncer("doctor", (target) => {
  let pooler: PgBouncer | undefined;

  afterEach(async () => {
    await pooler?.close();
    pooler = undefined;
  });

  async function through(options: PgBouncerOptions): Promise<Finding[]> {
    const database = await target.migratedDatabase();
    pooler = await PgBouncer.open(database.source, options);
    // Afterwards, the pooler has a server connection that is older than the next client.
    await examine(database, {}, pooler.url);
    const limits = { ...OPTIONS.limits, poolerAgeMs: 0 };
    return (await examine(database, { limits }, pooler.url)).filter(({ check }) => check === "pooler");
  }

  it.each([1, 3])("warns about transaction mode, with %i connections", async (poolSize) => {
    expect(await through({ mode: "transaction", poolSize })).toMatchObject([
      {
        state: "warning",
        message: expect.stringContaining("transaction mode"),
        remedy: expect.stringContaining("`prepare: false`"),
      },
    ]);
  });

  it("reports statement mode as an error", async () => {
    expect(await through({ mode: "statement" })).toMatchObject([
      { state: "error", message: expect.stringContaining("statement mode") },
    ]);
  });

  it("accepts session mode", async () => {
    expect(await through({ mode: "session" })).toMatchObject([
      { state: "ok", message: expect.stringMatching(/^a pooler in session mode/) },
    ]);
  });
});
