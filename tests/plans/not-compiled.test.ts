import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { type EmbeddedServer, startEmbeddedServer } from "../../test-support/embedded-server.js";
import { postgresWithJit } from "../../test-support/postgres-with-jit.js";
import { saverCalls } from "./calls/saver-calls.js";

const installed = postgresWithJit();
if (installed === undefined && process.env.CI === "true") {
  throw new Error("There is no Postgres with JIT: apt-get install postgresql");
}

/** Lets the server send the plan of each statement that it has run, with what was compiled for it. */
const EXPLAINS =
  "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c auto_explain.log_level=notice";

(installed === undefined ? describe.skip : describe)("a server with JIT", () => {
  let server: EmbeddedServer;
  let pool: pg.Pool;
  const plans: string[] = [];
  /** Runs a call, and returns the plans of its statements that were compiled. */
  const compiledBy = async (call: () => Promise<unknown>): Promise<string[]> => {
    plans.splice(0);
    await call();
    expect(plans.length).toBeGreaterThan(0);
    return plans.filter((plan) => plan.includes("\nJIT:"));
  };

  beforeAll(async () => {
    server = await startEmbeddedServer({ ...(installed !== undefined && { installed }) });
    pool = new pg.Pool({ connectionString: server.url, options: EXPLAINS });
    pool.on("connect", (client) => {
      client.on("notice", ({ message }) => plans.push(message ?? ""));
    });
    await new PostgresSaver(pool).setup();
  });
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });

  it("compiles a statement that seems expensive", async () => {
    const thousand = "generate_series(1, (select 1))";
    const expensive = `select from ${thousand} as a, ${thousand} as b, ${thousand} as c`;
    expect(await compiledBy(() => pool.query(expensive))).toHaveLength(1);
  });

  it("compiles no statement of any call of a saver with splices", async () => {
    const saver = new PostgresSaver(pool, undefined, { splices: true, keepTombstones: true });
    const compiled: Record<string, readonly string[]> = {};
    for (const [name, call] of saverCalls(saver)) {
      const found = await compiledBy(call);
      if (found.length > 0) compiled[name] = found;
    }
    expect(compiled).toEqual({});
  });
});
