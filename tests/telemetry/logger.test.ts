import { TASKS } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { type Logger, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { endHolders } from "../../test-support/held-locks.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { RecordingLogger } from "./recording-logger.js";
import { InMemorySdk } from "./in-memory-sdk.js";
import { until } from "../../test-support/until.js";

describeServer("a logger", (target) => {
  let database: TestDatabase<string>;
  let logger: RecordingLogger;
  let thread: string;
  const opened: PostgresSaver[] = [];

  beforeEach(async () => {
    database = await target.migratedDatabase();
    logger = new RecordingLogger();
    thread = newThread();
  });
  afterEach(async () => {
    for (const saver of opened.splice(0)) await saver.end();
  });

  function openSaver(options: PostgresSaverOptions = {}, url = database.source): PostgresSaver {
    const saver = new PostgresSaver(url, undefined, { logger, ...options });
    opened.push(saver);
    return saver;
  }

  it("receives applied migrations once", async () => {
    await openSaver({ schema: "agents" }).setup();
    await openSaver({ schema: "agents" }).setup();
    expect(logger.lines).toMatchObject([
      { level: "info", message: "migrations applied", fields: { schema: "agents" } },
    ]);
    expect(logger.lines[0]?.fields.steps).toContain("0001-create-tables");
  });

  it("receives each retry, as does the SDK", async () => {
    const sdk = new InMemorySdk().start();
    const proxy = await TcpProxy.open(database.source);
    const saver = openSaver({}, proxy.url);
    // The first call asks whether Citus distributes the tables, which would be cut instead.
    await saver.getTuple(threadConfig(thread));
    logger.lines.length = 0;
    proxy.cutNext("toClient");
    await putValues(saver, threadConfig(thread), { a: 1 });
    expect(logger.lines).toEqual([
      {
        level: "warn",
        message: "no connection to the database, trying again",
        fields: {
          operation: "put",
          threadId: thread,
          checkpointNs: "",
          checkpointId: expect.any(String),
          code: "CONNECTION_FAILED",
          error: expect.stringContaining("no connection to the database"),
          attempt: 2,
          delayMs: expect.any(Number),
        },
      },
    ]);
    const put = sdk.spans.find(({ name }) => name === "put checkpoints");
    expect(put?.events).toMatchObject([
      { name: "retry", attributes: { "langgraph.checkpoint.attempt": 2, "error.type": "CONNECTION_FAILED" } },
    ]);
    expect(put?.attributes["langgraph.checkpoint.retries"]).toBe(1);
    const retries = (await sdk.measured()).get("langgraph.checkpoint.retries");
    expect(retries?.dataPoints).toMatchObject([{ value: 1, attributes: { "db.operation.name": "put" } }]);
    await sdk.stop();
    await saver.end();
    await proxy.close();
  });

  it("receives a failed call once, without the values of the call", async () => {
    const saver = openSaver();
    logger.lines.length = 0;
    const checkpoint = checkpointOf(saver, { a: ["hunter2", () => 1] });
    await expect(
      saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint)),
    ).rejects.toThrow();
    expect(logger.lines).toEqual([
      {
        level: "error",
        message: "put failed",
        fields: {
          operation: "put",
          threadId: thread,
          code: "SERIALIZATION_FAILED",
          error: 'SERIALIZATION_FAILED in channel "a"',
          durationMs: expect.any(Number),
        },
      },
    ]);
    await database.exec("drop table checkpoint_blobs");
    await expect(saver.getTuple(threadConfig(thread))).rejects.toThrow();
    await expect(collect(saver.list(threadConfig(thread)))).rejects.toThrow();
    expect(logger.at("error").map(({ message, fields }) => [message, fields.sqlState])).toEqual([
      ["put failed", undefined],
      ["getTuple failed", "42P01"],
      ["list failed", "42P01"],
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain("hunter2");
  });

  it("receives a failure of a nested call once", async () => {
    const saver = openSaver({ schema: "unmigrated" });
    await expect(
      saver.getDeltaChannelHistory({ config: threadConfig(thread), channels: [TASKS] }),
    ).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
    expect(logger.lines.map(({ message }) => message)).toEqual(["getTuple failed"]);
  });

  it("receives an aborted call at level debug", async () => {
    const saver = openSaver();
    await expect(saver.getTuple(threadConfig(thread), { signal: AbortSignal.abort() })).rejects.toMatchObject(
      { code: "ABORTED" },
    );
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ["debug", "getTuple failed"],
    ]);
  });

  it("receives a refused thread lock at level info", async () => {
    const saver = openSaver();
    await saver.withThreadLock(thread, async () => {
      const refused = openSaver().withThreadLock(thread, () => undefined, { waitMs: 0 });
      await expect(refused).rejects.toMatchObject({ code: "THREAD_LOCKED" });
    });
    expect(logger.lines).toEqual([
      {
        level: "info",
        message: "withThreadLock was refused",
        fields: {
          operation: "withThreadLock",
          threadId: thread,
          code: "THREAD_LOCKED",
          error: "THREAD_LOCKED",
          durationMs: expect.any(Number),
        },
      },
    ]);
  });

  it("receives the reason of a retry at the first attempt to reach a missing server", async () => {
    const saver = openSaver({ retry: { maxElapsedMs: 50 } }, "postgres://127.0.0.1:1/none");
    await expect(saver.setup()).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
    expect(logger.lines[0]).toMatchObject({
      level: "warn",
      message: "no connection to the database, trying again",
      fields: { operation: "setup", error: "no connection to the database (ECONNREFUSED)", attempt: 2 },
    });
  });

  it("receives a lost thread lock", async () => {
    const saver = openSaver();
    const running = saver.withThreadLock(thread, async ({ signal }) => {
      await endHolders(database);
      // The signal may abort before a listener could be added.
      await until(() => signal.aborted);
    });
    await expect(running).rejects.toMatchObject({ code: "THREAD_LOCK_LOST" });
    expect(logger.at("warn")).toEqual([
      {
        level: "warn",
        message: "the lock of a thread was lost",
        fields: { threadId: thread, code: "CONNECTION_FAILED", sqlState: "57P01" },
      },
    ]);
  });

  it("receives a lost idle connection of an owned pool", async () => {
    const saver = openSaver();
    await saver.getTuple(threadConfig(thread)).catch(() => undefined);
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    expect(await logger.until("an idle connection was lost")).toMatchObject({ level: "warn" });
  });

  it("receives no thread ids with telemetry.threadIds: false", async () => {
    const saver = openSaver({ telemetry: { threadIds: false } });
    await database.exec("drop table checkpoint_blobs");
    await expect(saver.getTuple(threadConfig(thread))).rejects.toThrow();
    expect(logger.at("error")).toHaveLength(1);
    expect(JSON.stringify(logger.lines)).not.toContain(thread);
  });

  it("never receives a password or a connection string", async () => {
    const url = new URL(database.source);
    url.username = "nobody_there";
    url.password = "hunter2";
    for (const source of [url.href, "postgres://u:hunter2@127.0.0.1:1/none"]) {
      const saver = openSaver({ retry: { maxElapsedMs: 60 } }, source);
      await saver.getTuple(threadConfig(thread)).catch(() => undefined);
      await saver
        .watch(thread)
        .next()
        .catch(() => undefined);
    }
    const password = () => {
      throw new Error("hunter2");
    };
    const pool = new pg.Pool({ connectionString: "postgres://127.0.0.1/none", password });
    const saver = new PostgresSaver(pool, undefined, { logger, retry: false });
    await saver.getTuple(threadConfig(thread)).catch(() => undefined);
    await pool.end();
    expect(logger.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(logger.lines)).not.toContain("hunter2");
  });

  it.each<[string, Logger]>([
    ["throws", { warn: fail, error: fail, info: fail, debug: fail }],
    [
      "rejects",
      { error: () => Promise.reject(new Error("log")), info: () => Promise.reject(new Error("log")) },
    ],
    ["has only one level", { debug: () => undefined }],
  ])("that %s does not break a call", async (_what, odd) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const saver = openSaver({ logger: odd });
    await expect(saver.deleteThread("\0")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("can be the console", () => {
    expect(() => openSaver({ logger: console })).not.toThrow();
  });
});

function fail(): never {
  throw new Error("log");
}
