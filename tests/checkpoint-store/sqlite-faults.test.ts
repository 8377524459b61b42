import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "@jest/globals";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { CompiledProgram } from "../../test-support/compiled-program.js";
import { until } from "../../test-support/until.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { describeSqlite, openNodeSqlite, SQLITE_KINDS } from "./sqlite.js";

const SAVING = new URL("./saving-process.ts", import.meta.url);
const RETRYING = "transient database error, trying again";

function checkpoint(id: string, state: unknown = id) {
  return createCheckpoint({ executionId: "e", nodeName: "n", state, id });
}

describeSqlite("a SqliteCheckpointStore whose database is locked", (newFile) => {
  it("saves when the other connection has committed", async () => {
    const file = newFile();
    const logger = new RecordingLogger();
    await using store = new SqliteCheckpointStore(file, { logger });
    await store.setup();
    const other = openNodeSqlite(file);
    other.exec("begin immediate");
    const saving = [store.save(checkpoint("c1")), store.save(checkpoint("c2"), { keepLast: 5 })];
    await logger.until(RETRYING);
    expect(other.prepare("select id from checkpoint_store").all()).toEqual([]);
    other.exec("commit");
    await Promise.all(saving);
    expect(await store.list("e")).toHaveLength(2);
    other.close();
  });

  it("reads meanwhile", async () => {
    const file = newFile();
    await using store = new SqliteCheckpointStore(file);
    await store.setup();
    await store.save(checkpoint("c1"));
    const other = openNodeSqlite(file);
    other.exec("begin immediate; delete from checkpoint_store");
    expect(await store.list("e")).toHaveLength(1);
    other.close();
  });

  it.each(SQLITE_KINDS)("rejects on $name with a transient error where it stays locked", async (kind) => {
    const file = newFile();
    // By the same driver: the locks of two drivers in one process don't exclude each other.
    const other = kind.open(file);
    const { source, exec } = kind.open(file);
    exec("pragma busy_timeout = 0");
    const store = new SqliteCheckpointStore(source, { retry: { maxElapsedMs: 1 } });
    await store.setup();
    other.exec("begin immediate");
    for (const options of [undefined, { keepLast: 1 }]) {
      await expect(store.save(checkpoint("c1"), options)).rejects.toMatchObject({
        code: "DATABASE_ERROR",
        transient: true,
      });
    }
    other.exec("commit");
    await store.save(checkpoint("c1"), { keepLast: 1 });
    expect(await store.list("e")).toHaveLength(1);
  });

  it.each(SQLITE_KINDS)("is not healthy on $name where it can't write, or has no table", async (kind) => {
    const { source, exec } = kind.open(newFile());
    const store = new SqliteCheckpointStore(source);
    const codeOf = async (): Promise<string | undefined> => (await store.health()).error?.code;
    expect(await codeOf()).toBe("MIGRATION_REQUIRED");
    await store.setup();
    expect(await codeOf()).toBeUndefined();
    exec("pragma query_only = on");
    expect(await codeOf()).toBe("PERMISSION_DENIED");
  });

  it("ends the wait by its signal", async () => {
    const file = newFile();
    const logger = new RecordingLogger();
    await using store = new SqliteCheckpointStore(file, { logger });
    await store.setup();
    const other = openNodeSqlite(file);
    other.exec("begin immediate");
    const abort = new AbortController();
    const saving = store.save(checkpoint("c1"), { signal: abort.signal });
    void logger.until(RETRYING).then(() => {
      abort.abort();
    });
    await expect(saving).rejects.toMatchObject({ name: "AbortError" });
    other.exec("commit");
    expect(await store.list("e")).toEqual([]);
    other.close();
  });
});

describeSqlite("a SqliteCheckpointStore that can't write", (newFile) => {
  it.each(SQLITE_KINDS)(
    "rejects on $name where the disk is full, stores nothing, and goes on when there is room",
    async (kind) => {
      const { source, exec } = kind.open(newFile());
      const store = new SqliteCheckpointStore(source);
      await store.setup();
      await store.save(checkpoint("c1"));
      exec("pragma max_page_count = 20");
      const large = checkpoint("c2", "x".repeat(200_000));
      for (const options of [undefined, { keepLast: 1 }]) {
        await expect(store.save(large, options)).rejects.toMatchObject({
          code: "DATABASE_ERROR",
          transient: false,
        });
        expect((await store.list("e")).map(({ id }) => id)).toEqual(["c1"]);
      }
      exec("pragma max_page_count = 1000");
      await store.save(large, { keepLast: 1 });
      expect((await store.list("e")).map(({ id }) => id)).toEqual(["c2"]);
    },
  );

  it("keeps SQLite's result code in the cause of its error", async () => {
    const folder = newFile();
    await using store = new SqliteCheckpointStore(`${folder}/missing/checkpoints.db`, { retry: false });
    await expect(store.setup()).rejects.toMatchObject({ code: "DATABASE_ERROR", cause: { errcode: 14 } });
  });
});

describeSqlite("a process that is killed while it saves", (newFile) => {
  it("has stored all that was acknowledged, and nothing by half", async () => {
    await using program = await CompiledProgram.compile(SAVING);
    const file = newFile();
    for (let kills = 1; kills <= 3; kills++) {
      const lines = await killAfter(program.start(file), 20 * kills);
      const acknowledged = Number(lines.at(-1));
      await using store = new SqliteCheckpointStore<{ n: number; text: string }>(file);
      const stored = await store.list("e");
      expect(stored).toHaveLength(3);
      const [newest] = stored.map(({ version }) => version).sort((one, other) => other - one);
      // The one after it may be stored without an acknowledgement.
      expect([acknowledged, acknowledged + 1]).toContain(newest);
      for (const { state, version } of stored) {
        expect(state).toEqual({ n: version, text: String(version).repeat(5_000) });
      }
      await store.clear("e");
    }
  });
});

/** Kills a process that has printed so many lines. Returns all lines that it has printed. */
async function killAfter(child: ChildProcess, count: number): Promise<string[]> {
  const { stdout } = child;
  if (stdout === null) throw new Error("no output");
  let seen = 0;
  stdout.on("data", (chunk: Buffer) => (seen += chunk.toString().split("\n").length - 1));
  const printed = text(stdout);
  const exited = once(child, "exit");
  await until(() => seen >= count || child.exitCode !== null);
  child.kill("SIGKILL");
  await exited;
  return (await printed).split("\n").filter((line) => line !== "");
}
