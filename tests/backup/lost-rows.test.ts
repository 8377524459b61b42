import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { checkBackup, type Damage, DatabaseError, PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { loseValues } from "../../test-support/lose-values.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

/** A value that a statement reads, and one that is read in pieces, as SQL. */
const SHORT = "decode(repeat('00', 9000), 'hex')";
const LONG = "decode(repeat('00', 12000000), 'hex')";
const JSON_TEXT = "jsonb_build_object('x', repeat('x', 9000))";

describeServer("an export of rows that the server can't read", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let full: string[];
  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    for (const thread of ["header", "long", "short", "whole", "write"]) {
      const first = await putValues(saver, threadConfig(thread), { list: [1], more: [1] });
      const next = await putValues(saver, first.config, { list: [1, 2] });
      await saver.putWrites(next.config, [["list", [3]]], "task");
    }
    full = await collect(saver.exportThreads());
    await store(
      "checkpoints",
      "metadata",
      JSON_TEXT,
      "thread_id = 'header' and parent_checkpoint_id is null",
    );
    await store("checkpoint_blobs", "blob", LONG, "thread_id = 'long' and channel = 'more'");
    await store("checkpoint_blobs", "blob", SHORT, "thread_id = 'short' and channel = 'list'");
    await store("checkpoint_writes", "blob", SHORT, "thread_id = 'write'");
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
      await loseValues(database, table);
  });
  afterAll(() => saver.end());

  /** Stores a column outside of its row. */
  const store = (table: string, column: string, value: string, where: string) =>
    database.exec(`alter table ${table} alter ${column} set storage external;
      update ${table} set ${column} = ${value} where ${where}`);

  /** Exports, and collects what is named. */
  async function exported(since?: readonly string[][]): Promise<{ lines: string[]; damaged: Damage[] }> {
    const damaged: Damage[] = [];
    const onDamaged = (row: Damage): void => {
      damaged.push(row);
    };
    return { lines: await collect(saver.exportThreads({ onDamaged, since })), damaged };
  }

  it("ends at the first one", async () => {
    await expect(collect(saver.exportThreads())).rejects.toThrow(DatabaseError);
  });

  it("names each of them where the caller listens, and has all others", async () => {
    const { lines, damaged } = await exported();
    const lost = { checkpointNs: "", reason: expect.stringContaining("chunk number") };
    const ofValue = (channel: string) => ({ ...lost, channel, version: expect.any(String) });
    const ofCheckpoint = { ...lost, checkpointId: expect.any(String) };
    expect(damaged).toEqual([
      { threadId: "header", ...ofCheckpoint },
      { threadId: "long", ...ofValue("more") },
      { threadId: "short", ...ofValue("list") },
      { threadId: "short", ...ofValue("list") },
      { threadId: "write", ...ofCheckpoint },
    ]);
    const { threads, checkpoints, blobs, writes, faults } = await checkBackup(lines);
    expect({ threads, rows: checkpoints + blobs + writes }).toEqual({ threads: 5, rows: 5 * 6 - 5 });
    // Every line can be read. Only the checkpoints of what is lost refer to it.
    for (const { message } of faults) expect(message).toContain("lacks the value");
    const other = await target.migratedDatabase();
    await using restored = new PostgresSaver(other.source);
    expect(await restored.importThreads(lines)).toMatchObject({ threads: 5, checkpoints: 9, damaged: [] });
  });

  it("leaves a thread out of an increment whose earlier backups have it whole", async () => {
    await saver.putWrites(threadConfig("new", { checkpoint_id: "1" }), [["list", 1]], "task");
    const { lines, damaged } = await exported([full]);
    expect(damaged.map(({ threadId }) => threadId)).toEqual(["header", "long", "short", "write"]);
    expect(lines.filter((line) => line.startsWith('{"thread":'))).toEqual([
      '{"thread":"new","checkpoints":0,"writes":1,"blobs":0}',
    ]);
  });

  it("costs an import the threads that it would be compared with", async () => {
    const report = await saver.importThreads(full);
    expect(report).toMatchObject({ threads: 1, skipped: 6 });
    expect(report.damaged.map(({ threadId }) => threadId).sort()).toEqual([
      "header",
      "long",
      "short",
      "write",
    ]);
  });
});
