import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import type { ContextualSerializer } from "../../src/serde/serde-context.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  EncryptedSerializer,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { LinesChecksum } from "../../src/parsing/backup-lines.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { incompressibleText } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "./all-rows.js";

describeAnyTarget("an import that replaces damaged rows", (target) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await target.sharedDatabase();
  });

  /** Stores two threads with two checkpoints each, and exports them. */
  async function filled(saver: PostgresSaver): Promise<string[]> {
    for (const thread of ["a", "b"]) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [1], more: [thread] });
      const next = await putValues(saver, config, { list: [1, 2] });
      await saver.putWrites(next.config, [["list", [1]]], "task");
    }
    return collect(saver.exportThreads());
  }

  describe("of a saver that reads them", () => {
    let saver: PostgresSaver;
    let lines: string[];
    beforeEach(async () => {
      saver = new PostgresSaver(database.source);
      lines = await filled(saver);
    });
    afterEach(() => saver.end());

    it.each([
      ["checkpoints", "checkpoint = 'null'", 2],
      ["checkpoints", `checkpoint = checkpoint || '{"id": "other"}'`, 2],
      ["checkpoints", "metadata = '[]', parent_checkpoint_id = 'x'", 2],
      ["checkpoint_blobs", "blob = '\\xc1'", 3],
      ["checkpoint_blobs", "whole_bytes = -5", 3],
      ["checkpoint_blobs", "base = '1'", 3],
      ["checkpoint_writes", "blob = '\\xc1'", 1],
    ])("restores rows of %s with %s, and what is missing beside them", async (table, change, replaced) => {
      const before = await allRows(database);
      await database.exec(`update ${table} set ${change} where thread_id = 'a';
        delete from checkpoints where thread_id = 'b'`);
      expect(await saver.importThreads(lines, { replaceDamaged: true })).toMatchObject({
        ...{ replaced, checkpoints: 2, writes: 0, blobs: 0, skipped: 12 - 2 - replaced, damaged: [] },
      });
      expect(await allRows(database)).toEqual(before);
    });

    it("keeps a row that differs and can be read, names it, and replaces the others of its thread", async () => {
      await database.exec(`update checkpoint_blobs set blob = '\\x90' where thread_id = 'a' and channel = 'more';
        update checkpoint_blobs set blob = '\\xc1' where thread_id = 'a' and channel = 'list'`);
      const report = await saver.importThreads(lines, { replaceDamaged: true });
      expect(report).toMatchObject({
        ...{ threads: 2, replaced: 2, skipped: 9 },
        damaged: [{ threadId: "a", channel: "more", version: expect.any(String) }],
      });
      const tuple = await saver.getTuple(threadConfig("a"));
      expect(tuple?.checkpoint.channel_values).toMatchObject({ list: [1, 2] });
      const [{ blob } = {}] = await database.query(
        "select encode(blob, 'hex') as blob from checkpoint_blobs where thread_id = 'a' and channel = 'more'",
      );
      expect(blob).toBe("90");
      await expect(saver.importThreads(lines, { replaceDamaged: true, strict: true })).rejects.toMatchObject({
        ...{ code: "BACKUP_REFUSED", channel: "more" },
      });
    });

    it("keeps a row that the backup has damaged as well, and one of a type that it has otherwise", async () => {
      await database.exec(`update checkpoint_blobs set blob = '\\xc1' where thread_id = 'a';
        update checkpoint_blobs set type = 'pickle' where thread_id = 'b'`);
      const given = lines.map((line) =>
        line.includes('"table":"checkpoint_blobs","thread_id":"a"')
          ? line.replace(/"blob":"[^"]+"/, '"blob":"wcE="')
          : line,
      );
      const before = await allRows(database);
      const report = await saver.importThreads(resealed(given), { replaceDamaged: true });
      expect(report).toMatchObject({ replaced: 0 });
      expect(report.damaged).toHaveLength(6);
      expect(await allRows(database)).toEqual(before);
    });
  });

  it("replaces a splice and the value that it is made of", async () => {
    await using saver = new PostgresSaver(database.source);
    const text = incompressibleText(9_000);
    const { config } = await putValues(saver, threadConfig("a"), { list: [text] });
    await putValues(saver, config, { list: [text, 1] });
    await saver.compact();
    const before = await allRows(database);
    expect(await database.query("select from checkpoint_blobs where base is not null")).toHaveLength(1);
    const lines = await collect(saver.exportThreads());
    await database.exec("update checkpoint_blobs set blob = '\\xc1'");
    expect(await saver.importThreads(lines, { replaceDamaged: true })).toMatchObject({
      replaced: 2,
      damaged: [],
    });
    expect(await allRows(database)).toEqual(before);
  });

  const msgpack = new MsgpackSerializer();
  const aes = (key: string) => EncryptedSerializer.fromAesKey(key.repeat(32), msgpack);
  const gcm = (id: string) => new AesGcmSerializer(msgpack, { keys: [{ id, key: Buffer.alloc(32, id) }] });

  it.each([
    ["without their key", aes("1"), aes("1"), msgpack],
    ["with another key", aes("1"), aes("1"), aes("2")],
    ["with a newer key only", gcm("1"), gcm("2"), gcm("2")],
    ["without their compression", new CompressedSerializer(msgpack, { thresholdBytes: 0 }), msgpack, msgpack],
  ])("keeps values that it can't read %s", async (_what, storing, exporting, serde) => {
    const lines = await backupOf(exporting);
    await insertValue(storing);
    const before = await allRows(database);
    await using saver = new PostgresSaver(database.source, serde);
    expect(await saver.importThreads(lines, { replaceDamaged: true })).toMatchObject({
      ...{ replaced: 0, damaged: [{ threadId: "a", channel: "list" }] },
    });
    expect(await allRows(database)).toEqual(before);
  });

  it.each([
    ["aes", aes("1")],
    ["aes-256-gcm", gcm("1")],
  ])("replaces a damaged value that it has the key of: %s", async (_what, serde) => {
    const lines = await backupOf(serde);
    await insertValue(serde);
    await database.exec("update checkpoint_blobs set blob = blob || '\\x00'");
    await using saver = new PostgresSaver(database.source, serde);
    expect(await saver.importThreads(lines, { replaceDamaged: true })).toMatchObject({
      replaced: 1,
      damaged: [],
    });
  });

  async function backupOf(serde: ContextualSerializer): Promise<string[]> {
    await insertValue(serde);
    await using saver = new PostgresSaver(database.source);
    const lines = await collect(saver.exportThreads());
    await database.exec("truncate checkpoint_blobs");
    return lines;
  }

  async function insertValue(serde: ContextualSerializer): Promise<void> {
    const place = { threadId: "a", checkpointNs: "", channel: "list", version: "1" };
    const [type, blob] = await serde.dumpsTyped(["x".repeat(999)], place);
    await database.query(
      "insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ('a', 'list', '1', $1, $2)",
      [type, Buffer.from(blob)],
    );
  }
});

/** The lines with the checksum of what they are now. */
function resealed(lines: readonly string[]): string[] {
  const checksum = new LinesChecksum();
  for (const line of lines.slice(0, -1)) checksum.add(line);
  const last = (lines.at(-1) ?? "").replace(/(?<="sha256":")[^"]+/, checksum.digest());
  return [...lines.slice(0, -1), last];
}
