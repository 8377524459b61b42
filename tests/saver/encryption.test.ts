import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver, DeltaSnapshot, ERROR, RESUME, TASKS } from "@langchain/langgraph-checkpoint";
import { DeserializationError, PostgresSaver } from "../../src/index.js";
import {
  AesGcmSerializer,
  CompressedSerializer,
  type EncryptionKey,
  MsgpackSerializer,
} from "../../src/serde/index.js";
import { rowsAsText, rowsWith } from "../serde/rows-as-text.js";
import {
  checkpointOf,
  collect,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const KEY = { id: "b", key: Buffer.alloc(32, 2) };
const OLD_KEY = { id: "a", key: Buffer.alloc(32, 1) };
const MARKER = "MARKER-OF-A-SECRET-VALUE";
const TASK = "00000000-0000-0000-0000-000000000001";

function serializer(strict: boolean, ...keys: EncryptionKey[]): AesGcmSerializer {
  return new AesGcmSerializer(new CompressedSerializer(), { keys, strict });
}

describeAnyTarget("an encrypting saver", (target) => {
  let database: TestDatabase;
  let plain: PostgresSaver;
  let lenient: PostgresSaver;
  let strict: PostgresSaver;
  let thread: string;
  let config: RunnableConfig;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    plain = new PostgresSaver(database.source);
    lenient = new PostgresSaver(database.source, serializer(false, KEY, OLD_KEY));
    strict = new PostgresSaver(database.source, serializer(true, KEY, OLD_KEY));
  });
  afterAll(() => Promise.all([plain, lenient, strict].map((saver) => saver.end())));

  beforeEach(() => {
    thread = newThread();
    config = threadConfig(thread);
  });

  /** Stores a checkpoint with a value, a child without it, and writes of every kind. */
  async function fill(saver: PostgresSaver, values: Record<string, unknown>): Promise<RunnableConfig> {
    const parent = await putValues(saver, config, values);
    await saver.putWrites(parent.config, [["note", values.note], [TASKS, values.note]], TASK); // oxfmt-ignore
    await saver.putWrites(parent.config, [[ERROR, values.note], [RESUME, [values.note]]], TASK); // oxfmt-ignore
    return parent.config;
  }

  async function refusal(reading: Promise<unknown>): Promise<unknown> {
    const error: unknown = await reading.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DeserializationError);
    expect(error).toMatchObject({ threadId: expect.stringContaining("thread") });
    return error;
  }

  describe("stores no value in plain text", () => {
    const values = { note: MARKER, list: [MARKER.repeat(100)], deep: { key: [MARKER] }, amount: 8675309.25 };

    it("in any column of any table", async () => {
      const parent = await fill(strict, values);
      await putValues(strict, parent, { note: `${MARKER}2`, bytes: Buffer.from(MARKER) });
      const rows = (await rowsAsText(database)).filter((row) => row.includes(thread));
      expect(rows.length).toBeGreaterThan(10);
      for (const secret of [MARKER, "8675309"]) expect(rowsWith(rows, secret)).toEqual([]);
    });

    it("which a saver without encryption would have shown", async () => {
      await fill(plain, values);
      const rows = (await rowsAsText(database)).filter((row) => row.includes(thread));
      const tables = rowsWith(rows, MARKER).map((row) => row.split(" ")[0]);
      expect(new Set(tables)).toEqual(
        new Set(["public.checkpoints", "public.checkpoint_blobs", "public.checkpoint_writes"]),
      );
      expect(rowsWith(rows, "8675309")).toHaveLength(1);
    });

    it("also in the headers of a thread that began without encryption, once it continues", async () => {
      const first = await putValues(plain, config, { note: MARKER, count: 1 });
      const tuple = await lenient.getTuple(first.config);
      const next = checkpointOf(lenient, {}, tuple?.checkpoint);
      next.channel_values = { ...tuple?.checkpoint.channel_values };
      const head = await lenient.put(first.config, next, metadataOf(1), {});
      expect((await strict.getTuple(head))?.checkpoint.channel_values).toEqual({ note: MARKER, count: 1 });
      const rows = (await rowsAsText(database)).filter((row) => row.includes(thread));
      expect(rowsWith(rows, MARKER)).toEqual([expect.stringContaining(first.checkpoint.id)]);
    });
  });

  describe("reads each value in its place", () => {
    it("by getTuple and list, with a channel that is null and one that is empty", async () => {
      const checkpoint = checkpointOf(strict, { note: "a", none: null, text: "a".repeat(5_000), emptied: 1 });
      const versions = { ...checkpoint.channel_versions };
      delete checkpoint.channel_values.emptied;
      const child = threadConfig(thread, { checkpoint_ns: "child:1" });
      for (const place of [config, child]) {
        const stored = await strict.put(place, checkpoint, metadataOf(), versions);
        await strict.putWrites(stored, [["note", "x"], ["note", null]], TASK); // oxfmt-ignore
        const tuple = await strict.getTuple(stored);
        expect(tuple?.checkpoint.channel_values).toEqual(checkpoint.channel_values);
        expect(tuple?.pendingWrites).toEqual([[TASK, "note", "x"], [TASK, "note", null]]); // oxfmt-ignore
        expect(await collect(strict.list(stored))).toEqual([tuple]);
      }
    });

    it("by the sends that checkpoints before version 4 have beside their parents", async () => {
      const parent = await fill(strict, { note: "a" });
      const child = await strict.put(parent, { ...checkpointOf(strict, {}), v: 3 }, metadataOf(), {});
      const tuple = await strict.getTuple(child);
      expect(tuple?.checkpoint.channel_values).toEqual({ [TASKS]: ["a"] });
      expect(await collect(strict.list(child))).toEqual([tuple]);
      const move = "update checkpoint_writes set task_id = 'another' where channel = $1 and thread_id = $2";
      await database.query(move, [TASKS, thread]);
      expect(await refusal(strict.getTuple(child))).toMatchObject({ channel: TASKS });
    });

    it("by the history of delta channels, its seed and its writes", async () => {
      const first = await putValues(strict, config, { log: new DeltaSnapshot(["seed"]), count: 7 });
      await strict.putWrites(first.config, [["log", "one"]], TASK);
      const second = await putValues(strict, first.config, {});
      await strict.putWrites(second.config, [["log", "two"]], TASK);
      const head = await putValues(strict, second.config, {});
      const request = { config: head.config, channels: ["log", "count"] };
      const history = await strict.getDeltaChannelHistory(request);
      expect(history).toEqual({
        log: { seed: new DeltaSnapshot(["seed"]), writes: [[TASK, "log", "one"], [TASK, "log", "two"]] }, // oxfmt-ignore
        count: { seed: 7, writes: [] },
      });
      expect(history).toEqual(
        await BaseCheckpointSaver.prototype.getDeltaChannelHistory.call(strict, request),
      );
    });
  });

  describe("refuses a row that somebody has changed", () => {
    const bothNotes = { note: ["a"], other: ["b"] };

    it.each([
      [
        "the value of another channel",
        "blob = (select blob from checkpoint_blobs where thread_id = $1 and channel = 'other')",
      ],
      ["a changed type tag", "type = 'json+aes-256-gcm'"],
      ["a type tag without encryption", "type = 'bytes'"],
      ["a plain value", "type = 'msgpack', blob = '\\xc3'"],
      ["a value without bytes", "type = 'null', blob = ''"],
      ["a value as the official saver writes it", "type = 'json', blob = '{}'"],
      ["half a value", "blob = substr(blob, 1, length(blob) - 1)"],
    ])("%s", async (_what, change) => {
      const { config: stored } = await putValues(strict, config, bothNotes);
      await database.query(
        `update checkpoint_blobs set ${change} where channel = 'note' and thread_id = $1`,
        [thread],
      );
      const error = await refusal(strict.getTuple(stored));
      expect(error).toMatchObject({ threadId: thread, channel: "note" });
      await refusal(collect(strict.list(stored)));
    });

    it("the value that the channel had at another version", async () => {
      const first = await putValues(strict, config, { note: ["refund 10"] });
      const second = await putValues(strict, first.config, { note: ["refund 1000"] }, first.checkpoint);
      const [from, to] = [first, second].map(({ checkpoint }) => String(checkpoint.channel_versions.note));
      await database.query(
        `update checkpoint_blobs set blob = (select blob from checkpoint_blobs where thread_id = $1 and version = $2)
         where thread_id = $1 and version = $3`,
        [thread, from, to],
      );
      expect(String(await refusal(strict.getTuple(second.config)))).toMatch(/moved here from another row/);
      expect((await strict.getTuple(first.config))?.checkpoint.channel_values).toEqual({
        note: ["refund 10"],
      });
    });

    it("the rows of another thread, under the same versions", async () => {
      const { config: stored } = await putValues(strict, config, bothNotes);
      const copy = newThread();
      for (const table of ["checkpoints", "checkpoint_blobs"])
        await database.query(
          `insert into ${table} select copy.* from ${table} as row_,
           jsonb_populate_record(row_, jsonb_build_object('thread_id', $2::text)) as copy where row_.thread_id = $1`,
          [thread, copy],
        );
      const moved = threadConfig(copy, { checkpoint_id: stored.configurable?.checkpoint_id as unknown });
      expect(await refusal(strict.getTuple(moved))).toMatchObject({ threadId: copy });
    });

    it.each([
      ["another task", "task_id = 'another'"],
      ["another position", "idx = 7"],
      ["another channel", "channel = 'other'"],
      ["another checkpoint", "checkpoint_id = $2"],
    ])("a write that was moved to %s", async (_place, change) => {
      const first = await putValues(strict, config, {});
      const second = await putValues(strict, first.config, {});
      await strict.putWrites(first.config, [["note", "a"]], TASK);
      await database.query(
        `update checkpoint_writes set ${change} where thread_id = $1 and $2::text is not null`,
        [thread, second.checkpoint.id],
      );
      const place = change.startsWith("checkpoint_id") ? second.config : first.config;
      await refusal(strict.getTuple(place));
      const below = await putValues(strict, place, {});
      const channels = ["note", "other"];
      await refusal(strict.getDeltaChannelHistory({ config: below.config, channels }));
    });
  });

  describe("and values that are not encrypted", () => {
    it("are read unless the serializer is strict", async () => {
      const parent = await fill(plain, { note: "a", list: ["b"] });
      expect(await lenient.getTuple(parent)).toEqual(await plain.getTuple(parent));
    });

    it("refuses those in headers when it is strict, and names their channel", async () => {
      const first = await putValues(plain, config, { note: "a" });
      const head = await putValues(plain, first.config, {}, first.checkpoint);
      expect(await refusal(strict.getTuple(first.config))).toMatchObject({
        threadId: thread,
        channel: "note",
      });
      await refusal(collect(strict.list(first.config)));
      const request = { config: head.config, channels: ["note"] };
      expect((await lenient.getDeltaChannelHistory(request)).note?.seed).toBe("a");
      expect(await refusal(strict.getDeltaChannelHistory(request))).toMatchObject({ channel: "note" });
    });

    it("uses the value of a blob where Python stored a marker inline", async () => {
      const { config: stored } = await putValues(strict, config, { note: ["a"] });
      await database.query(
        `update checkpoints set checkpoint = checkpoint || '{"channel_values":{"note":true}}' where thread_id = $1`,
        [thread],
      );
      expect((await strict.getTuple(stored))?.checkpoint.channel_values).toEqual({ note: ["a"] });
    });

    it("are what it writes itself for a saver that has no key", async () => {
      const { config: stored } = await putValues(strict, config, { note: "a" });
      expect(String(await refusal(plain.getTuple(stored)))).toMatch(/encrypted by "aes-256-gcm"/);
    });
  });

  it("continues a thread after a key rotation, and shows which rows need which key", async () => {
    await using before = new PostgresSaver(database.source, serializer(true, OLD_KEY));
    const first = await putValues(before, config, { old: ["a"], both: ["b"] });
    const next = checkpointOf(strict, { both: ["c"] }, first.checkpoint);
    const head = await strict.put(first.config, next, metadataOf(), {
      both: next.channel_versions.both ?? 0,
    });
    expect((await strict.getTuple(head))?.checkpoint.channel_values).toEqual({ old: ["a"], both: ["c"] });
    expect(String(await refusal(before.getTuple(head)))).toMatch(
      /by the key "b", which is not among the given keys/,
    );
    const counts = await database.query(
      `select convert_from(substr(blob, 3, get_byte(blob, 1)), 'UTF8') as key, count(*)::int
       from checkpoint_blobs where type like '%+aes-256-gcm' and thread_id = $1 group by 1 order by 1`,
      [thread],
    );
    expect(counts).toEqual([{ key: "a", count: 2 }, { key: "b", count: 1 }]); // oxfmt-ignore
  });

  it("passes the place of each value to a custom serializer", async () => {
    const seen: unknown[] = [];
    class Recording extends MsgpackSerializer {
      override dumpsTyped(value: unknown, context?: unknown): Promise<[string, Uint8Array]> {
        seen.push(context);
        return super.dumpsTyped(value);
      }
    }
    await using saver = new PostgresSaver(database.source, new Recording());
    const { config: stored, checkpoint } = await putValues(saver, config, { list: ["a"] });
    await saver.putWrites(stored, [["note", 1], [ERROR, 2]], TASK); // oxfmt-ignore
    const place = { threadId: thread, checkpointNs: "" };
    const write = { ...place, checkpointId: checkpoint.id, taskId: TASK };
    expect(seen).toEqual([
      { ...place, channel: "list", version: checkpoint.channel_versions.list },
      { ...write, channel: "note", idx: 0 },
      { ...write, channel: ERROR, idx: -1 },
    ]);
    await saver.end();
  });
});
