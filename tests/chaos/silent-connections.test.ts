import { setImmediate } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { collect, newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";

const CONNECTIONS = 8;

describeServer("a saver whose idle connections have all died silently", (server) => {
  it("waits for the timeout once, not once per connection", async () => {
    const { source } = await server.createDatabase();
    const proxy = await TcpProxy.open(source);
    const pool = new pg.Pool({ connectionString: proxy.url, max: CONNECTIONS, idleTimeoutMillis: 0 });
    // Allows a second attempt, but no third one.
    const saver = new PostgresSaver(pool, undefined, {
      statementTimeoutMs: 500,
      retry: { maxElapsedMs: 4_000 },
    });
    await saver.setup();
    const { config } = await putValues(saver, threadConfig(newThread()), { a: 1 });
    // Lists don't share statements, so each takes a connection.
    await Promise.all(Array.from({ length: CONNECTIONS }, () => collect(saver.list(config))));
    await setImmediate();
    expect(pool.idleCount).toBe(CONNECTIONS);

    const end = proxy.blackHole();
    try {
      const tuple = await saver.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ a: 1 });
    } finally {
      end();
      await pool.end();
      await proxy.close();
    }
  });
});
