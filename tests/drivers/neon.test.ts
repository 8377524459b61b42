import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Client, neonConfig, Pool } from "@neondatabase/serverless";
import { Kysely, PostgresDialect } from "kysely";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import type { DatabaseSource } from "../../src/db/index.js";
import { requestCancel } from "../../src/db/pool/cancel-request.js";
import { type CheckpointDatabase, handlePoolErrors, PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { startEmbeddedServer } from "../../test-support/embedded-server.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { IS_LONG } from "../../test-support/runs.js";
import { describeServer } from "../../test-support/targets.js";
import { WebSocketProxy } from "../../test-support/web-socket-proxy.js";
import { describeLateStatements } from "../saver/late/late-statements.js";
import { describeDriver, runAgent } from "./describe-driver.js";
import { connectThrough, loadWithoutBuffer, NEON } from "./neon.js";

type Accepts<Source> = Source extends DatabaseSource ? true : false;

/** What TypeScript says about the pools and the clients of the driver. */
export const ACCEPTED: Readonly<Record<"pool" | "client", boolean>> = {
  pool: true satisfies Accepts<Pool>,
  client: true satisfies Accepts<Client>,
};

let proxy: WebSocketProxy;
beforeAll(async () => {
  proxy = await WebSocketProxy.open();
  connectThrough(proxy);
});
afterAll(() => proxy.close());

describeDriver(NEON);

if (IS_LONG) {
  describeLateStatements({
    [`a pool of ${NEON.name}`]: (opened, config, options) =>
      opened.saver(opened.track(NEON.openPool(config)), options),
  });

  it("works where it sends the password before the server asks for it, which is its default", async () => {
    const server = await startEmbeddedServer();
    neonConfig.pipelineConnect = "password";
    const pool = NEON.openPool({ connectionString: server.url });
    await runAgent(new PostgresSaver(pool), new PostgresStore(pool, { schema: "remembered" }));
    await pool.end();
    neonConfig.pipelineConnect = false;
    await server.remove();
  });
}

describeServer("a pool of @neondatabase/serverless", (target) => {
  it("is accepted without a cast by whatever opens a database, and by a Kysely", async () => {
    const pool = new Pool({ connectionString: "postgres://nobody@localhost/none" });
    const owners = [
      new PostgresSaver(pool),
      new PostgresStore(pool),
      new PostgresCache(pool, { sweepIntervalMinutes: false }),
      new PostgresCheckpointStore(pool),
      new PostgresSaver(
        new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool: handlePoolErrors(pool) }) }),
      ),
    ];
    expect(owners).toHaveLength(5);
    await pool.end();
  });

  it("stores and reads bytes in a runtime without `Buffer`", async () => {
    const { source } = await target.sharedDatabase();
    const OwnPool = await loadWithoutBuffer(proxy);
    const pool = new OwnPool({ connectionString: WebSocketProxy.rename(source) });
    const { rows } = await pool.query<{ bytes: Uint8Array }>("select 'ff'::bytea as bytes");
    expect(Buffer.isBuffer(rows[0]?.bytes)).toBe(false);
    const saver = new PostgresSaver(pool);
    const values = { bytes: new Uint8Array([0, 255]), text: "ü", large: "x".repeat(100_000) };
    const { config } = await putValues(saver, threadConfig(newThread()), values);
    await saver.putWrites(config, [["bytes", values.bytes]], "task");
    expect(await saver.getTuple(config)).toMatchObject({
      checkpoint: { channel_values: values },
      pendingWrites: [["task", "bytes", values.bytes]],
    });
    await pool.end();
  });

  it("sends cancel requests as WebSockets too", async () => {
    const { source } = await target.sharedDatabase();
    const pool = NEON.openPool({ connectionString: source });
    const client = await pool.connect();
    await client.query("select 1");
    const sleeping = client.query("select pg_sleep(60)").then(
      () => undefined,
      (error: unknown) => error,
    );
    await requestCancel(client, undefined, new AbortController().signal);
    expect(await sleeping).toMatchObject({ code: "57014" });
    client.release(true);
    await pool.end();
  });
});
