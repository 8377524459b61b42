import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { CheckpointTuple, SerializerProtocol } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { sql } from "kysely";
import { openDatabase } from "../../../src/db/index.js";
import {
  DeserializationError,
  PostgresSaver,
  ThreadDeletedError,
  ThreadExistsError,
} from "../../../src/index.js";
import {
  AesGcmSerializer,
  type CheckpointCipher,
  CompressedSerializer,
  EncryptedSerializer,
  JsonSerializer,
  MsgpackSerializer,
} from "../../../src/serde/index.js";
import { compareText } from "../../../src/saver/codec/compare-text.js";
import { nextVersion } from "../../../src/saver/next-version.js";
import { textVersion } from "../../../src/saver/queries/life/text-versions.js";
import { collect, newThread, putValues, threadConfig } from "../../support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../support/targets.js";
import { rowsOf } from "../../support/thread-rows.js";
import { LAYOUTS, openLayout } from "./layouts.js";

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };

/** A thread with two namespaces, a fork, an interrupt, a write without checkpoint, and a value that nobody refers to. */
async function fill(saver: PostgresSaver, thread: string): Promise<void> {
  const root = await putValues(saver, threadConfig(thread), { messages: ["a"], count: 1 });
  const left = await putValues(saver, root.config, { messages: ["a", "b"] }, root.checkpoint);
  await putValues(saver, root.config, { messages: ["a", "c"] }, root.checkpoint);
  await saver.putWrites(left.config, [["messages", "d"]], "task", "path");
  await saver.putWrites(left.config, [["__interrupt__", { value: "really?" }]], "task");
  const inner = threadConfig(thread, { checkpoint_ns: "node:1" });
  await putValues(saver, inner, { inner: { deep: new Date(0) }, long: "x".repeat(5_000) });
  await saver.putWrites({ configurable: { ...inner.configurable, checkpoint_id: "stray" } }, [["a", 1]], "t");
}

async function tuplesOf(saver: PostgresSaver, thread: string): Promise<CheckpointTuple[]> {
  const tuples = await collect(saver.list(threadConfig(thread)));
  const text = JSON.stringify(tuples).replaceAll(JSON.stringify(thread), '"thread"');
  return JSON.parse(text) as CheckpointTuple[];
}

describeEachTarget("copyThread", (target) => {
  const opened: PostgresSaver[] = [];
  afterAll(() => Promise.all(opened.map((saver) => saver.end())));

  function open(...args: ConstructorParameters<typeof PostgresSaver>): PostgresSaver {
    const saver = new PostgresSaver(...args);
    opened.push(saver);
    return saver;
  }

  describe.each(LAYOUTS)("on %s", (layout) => {
    let saver: PostgresSaver;
    beforeAll(async () => {
      ({ saver } = await openLayout(target, layout));
    });
    afterAll(() => saver.end());

    it("copies every namespace with its ids, parents, metadata, values and writes", async () => {
      const [source, copy] = [newThread(), newThread()];
      await fill(saver, source);
      await putValues(saver, threadConfig(newThread()), { messages: ["others"] });
      const before = await tuplesOf(saver, source);
      const counts = await saver.copyThread(source, copy);
      expect(before).toHaveLength(4);
      expect(await tuplesOf(saver, copy)).toEqual(before);
      expect(await tuplesOf(saver, source)).toEqual(before);
      expect(counts).toMatchObject({ checkpoints: 4, writes: 3 });
      expect(counts.bytes).toBeGreaterThan(5_000);
    });

    it("does nothing where the source does not exist, and the same when it is made again", async () => {
      const [source, copy] = [newThread(), newThread()];
      const none = { checkpoints: 0, writes: 0, blobs: 0, bytes: 0 };
      expect(await saver.copyThread(source, copy)).toEqual(none);
      await fill(saver, source);
      const first = await saver.copyThread(source, copy);
      expect(await saver.copyThread(source, copy)).toEqual(first);
      await putValues(saver, threadConfig(source), { more: [1] });
      expect((await saver.copyThread(source, copy)).checkpoints).toBe(5);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    });

    it("shares nothing: either thread may be deleted", async () => {
      const [source, copy, second] = [newThread(), newThread(), newThread()];
      await fill(saver, source);
      const before = await tuplesOf(saver, source);
      await saver.copyThread(source, copy);
      await saver.copyThread(copy, second);
      await saver.deleteThread(copy);
      expect(await tuplesOf(saver, source)).toEqual(before);
      await saver.deleteThread(source);
      expect(await tuplesOf(saver, second)).toEqual(before);
    });

    it("refuses a target with checkpoints of its own, and leaves it as it is", async () => {
      const [source, taken] = [newThread(), newThread()];
      await fill(saver, source);
      await saver.copyThread(source, taken);
      const { config } = await putValues(saver, threadConfig(taken), { own: [1] });
      await putValues(saver, threadConfig(source), { more: [1] });
      const before = await tuplesOf(saver, taken);
      const failure: unknown = await saver.copyThread(source, taken).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ThreadExistsError);
      expect(failure).toMatchObject({
        code: "THREAD_EXISTS",
        threadId: taken,
        checkpointId: config.configurable?.checkpoint_id as string,
      });
      expect(await tuplesOf(saver, taken)).toEqual(before);
    });
  });

  describe("with values that are bound to their place", () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await target.createDatabase();
      await open(database.source).setup();
    });

    const aes = () => new AesGcmSerializer(new CompressedSerializer(), KEYS);
    it.each([
      ["AesGcmSerializer", aes],
      ["EncryptedSerializer around it", () => EncryptedSerializer.fromAesKey("0123456789abcdef", aes())],
      ["CompressedSerializer around it", () => new CompressedSerializer(aes(), { thresholdBytes: 1 })],
      ["the same around a plain serializer", () => new AesGcmSerializer(new MsgpackSerializer(), KEYS)],
    ])("encodes them anew: %s", async (_name, serde) => {
      const saver = open(database.source, serde());
      const plain = open(database.source);
      const [source, copy] = [newThread(), newThread()];
      await putValues(plain, threadConfig(source), { messages: ["from before"], count: 7 });
      await fill(saver, source);
      const counts = await saver.copyThread(source, copy);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
      expect(await rowsOf(database, copy)).toEqual(await rowsOf(database, source));
      expect(counts).toMatchObject(await rowsOf(database, source));
    });

    it("copies rows of other layouts as they are, also those that a strict serializer refuses to read", async () => {
      const strict = open(
        database.source,
        new AesGcmSerializer(new MsgpackSerializer(), { ...KEYS, strict: true }),
      );
      const plain = open(database.source);
      const [source, copy] = [newThread(), newThread()];
      await putValues(plain, threadConfig(source), { messages: ["in plain"] });
      await strict.copyThread(source, copy);
      expect(await tuplesOf(plain, copy)).toEqual(await tuplesOf(plain, source));
    });

    it.each([
      ["MsgpackSerializer", () => new MsgpackSerializer()],
      ["JsonSerializer", () => new JsonSerializer()],
      ["CompressedSerializer", () => new CompressedSerializer()],
      ["EncryptedSerializer", () => EncryptedSerializer.fromAesKey("0123456789abcdef")],
    ])(
      "refuses to copy them by a saver that can't read them, and writes nothing: %s",
      async (_name, serde) => {
        const [source, copy] = [newThread(), newThread()];
        await putValues(open(database.source), threadConfig(source), { messages: ["from before"] });
        await fill(open(database.source, aes()), source);
        const failure: unknown = await open(database.source, serde())
          .copyThread(source, copy)
          .catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(DeserializationError);
        expect(failure).toMatchObject({ threadId: source, typeTag: expect.stringContaining("+aes-256-gcm") });
        expect(String(failure)).toMatch(
          /AES-256-GCM, which binds it to its thread; copy the thread by copyThread of/,
        );
        expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
      },
    );

    it("refuses a single write that can't be read, and copies it as soon as it is gone", async () => {
      const [source, copy] = [newThread(), newThread()];
      const plain = open(database.source);
      const { config } = await putValues(plain, threadConfig(source), { messages: ["in plain"] });
      await open(database.source, aes()).putWrites(config, [["messages", "secret"]], "task");
      await expect(plain.copyThread(source, copy)).rejects.toMatchObject({ channel: "messages" });
      expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
      await database.query("delete from checkpoint_writes where thread_id = $1", [source]);
      await plain.copyThread(source, copy);
      expect(await tuplesOf(plain, copy)).toEqual(await tuplesOf(plain, source));
    });

    it("copies values of another cipher of that name as they are", async () => {
      const invert = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
      const cipher: CheckpointCipher = {
        encrypt: (plaintext) => ["aes-256-gcm", invert(plaintext)],
        decrypt: (_cipher, ciphertext) => invert(ciphertext),
      };
      const encrypted = new EncryptedSerializer(cipher);
      const unaware: SerializerProtocol = {
        dumpsTyped: (value) => encrypted.dumpsTyped(value),
        loadsTyped: (type, data) => encrypted.loadsTyped(type, data),
      };
      for (const serde of [encrypted, unaware]) {
        const saver = open(database.source, serde);
        const [source, copy] = [newThread(), newThread()];
        await fill(saver, source);
        await saver.copyThread(source, copy);
        expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
      }
    });

    it("completes what a crash has left behind, when it is called again", async () => {
      const saver = open(database.source, aes());
      const [source, copy] = [newThread(), newThread()];
      await fill(saver, source);
      await saver.copyThread(source, copy);
      for (const table of ["checkpoints", "checkpoint_blobs"])
        await database.query(`delete from ${table} where thread_id = $1`, [copy]);
      await saver.copyThread(source, copy);
      expect(await tuplesOf(saver, copy)).toEqual(await tuplesOf(saver, source));
    });

    it("refuses a target with checkpoints of its own before it writes anything", async () => {
      const saver = open(database.source, aes());
      const [source, taken] = [newThread(), newThread()];
      await fill(saver, source);
      await putValues(saver, threadConfig(taken), { own: [1] });
      const before = await rowsOf(database, taken);
      await expect(saver.copyThread(source, taken)).rejects.toThrow(ThreadExistsError);
      expect(await rowsOf(database, taken)).toEqual(before);
    });

    it("copies more values than one portion has, and long ones", async () => {
      const saver = open(database.source, aes());
      const [source, copy] = [newThread(), newThread()];
      const channels = Array.from({ length: 300 }, (_, index) => [`channel ${index}`, [index]] as const);
      const { config } = await putValues(saver, threadConfig(source), {
        ...Object.fromEntries(channels),
        long: crypto.getRandomValues(new Uint8Array(65_536)),
        longer: "é".repeat(9 * 2 ** 20),
      });
      await saver.putWrites(
        config,
        channels.map(([name, value]) => [name, value]),
        "task",
      );
      await saver.copyThread(source, copy);
      const [original] = await collect(saver.list(threadConfig(source)));
      const [copied] = await collect(saver.list(threadConfig(copy)));
      expect(copied?.checkpoint).toEqual(original?.checkpoint);
      expect(copied?.pendingWrites).toEqual(original?.pendingWrites);
    });
  });

  describe("that encodes anew", () => {
    let database: TestDatabase;
    let official: PostgresSaver;
    beforeAll(async () => {
      database = await target.createDatabase();
      official = open(database.source, new JsonSerializer());
      await official.setup();
    });

    /** What a thread holds, but for its versions and for how it is encoded. */
    async function stateOf(saver: PostgresSaver, thread: string): Promise<unknown[]> {
      const tuples = await tuplesOf(saver, thread);
      return tuples.map(({ config, parentConfig, metadata, pendingWrites, checkpoint }) => ({
        ...{ config, parentConfig, metadata, pendingWrites },
        checkpoint: { ...checkpoint, channel_versions: Object.keys(checkpoint.channel_versions) },
      }));
    }

    it.each([
      ["MessagePack", () => new MsgpackSerializer(), ["msgpack", "null"]],
      ["AES-GCM", () => new AesGcmSerializer(new MsgpackSerializer(), KEYS), ["msgpack+aes-256-gcm"]],
    ])("writes all of a thread as %s does, and its numbers as text", async (_name, serde, types) => {
      const saver = open(database.source, serde());
      const [source, copy] = [newThread(), newThread()];
      await fill(official, source);
      const counts = await saver.copyThread(source, copy, { reencode: true });
      expect(counts).toMatchObject(await rowsOf(database, copy));
      expect(await stateOf(saver, copy)).toEqual(await stateOf(saver, source));
      const stored = await database.query<{ type: string }>(
        `select distinct type from (select type, thread_id from checkpoint_blobs union all
           select type, thread_id from checkpoint_writes) rows where thread_id = $1`,
        [copy],
      );
      expect(types).toEqual(expect.arrayContaining(stored.map(({ type }) => type)));
      const versions = (await tuplesOf(saver, copy)).flatMap(({ checkpoint }) =>
        Object.values(checkpoint.channel_versions),
      );
      for (const version of versions) expect(version).toMatch(/^\d{32}\.0\.\d+$/);
      expect(await saver.copyThread(source, copy, { reencode: true })).toEqual(counts);
      expect(await rowsOf(database, copy)).toEqual(await rowsOf(database, source));
    });

    it("refuses an earlier copy with numbers, and a serializer that numbers versions", async () => {
      const saver = open(database.source);
      const [source, copy] = [newThread(), newThread()];
      await fill(official, source);
      await saver.copyThread(source, copy);
      await expect(saver.copyThread(source, copy, { reencode: true })).rejects.toThrow(ThreadExistsError);
      await expect(official.copyThread(source, newThread(), { reencode: true })).rejects.toThrow(
        /options\.reencode: needs a serializer that Python reads/,
      );
    });

    it("keeps numbers apart, and in their order, as Python's versions and the ones after them", async () => {
      const { kysely } = openDatabase(database.source);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { minLength: 2 }), async (counts) => {
          const numbers = counts.flatMap((count) => [count, nextVersion(count), nextVersion(count)]);
          const given = [...new Set(numbers)].sort((a, b) => a - b);
          const { rows } = await sql<{ text: string }>`
            select ${textVersion(sql<string>`version`)} as text
            from unnest(${given.map(String)}::text[]) with ordinality given(version, place) order by place`.execute(
            kysely,
          );
          const texts = rows.map(({ text }) => text);
          expect(new Set(texts).size).toBe(given.length);
          expect([...texts].sort(compareText)).toEqual(texts);
          for (const [index, text] of texts.entries()) {
            expect(Number.parseInt(text.split(".")[0] ?? "", 10)).toBe(Math.floor(given[index] ?? -1));
            expect(compareText(nextVersion(text), text)).toBeGreaterThan(0);
          }
        }),
        { numRuns: 20, seed: 1 },
      );
    });
  });

  describe("with tombstones", () => {
    let database: TestDatabase;
    let copy: string;
    beforeAll(async () => {
      database = await target.createDatabase();
      await open(database.source).setup();
    });
    beforeEach(() => {
      copy = newThread();
    });

    it.each([
      ["values that may stand anywhere", undefined],
      ["values that are bound", new AesGcmSerializer(new MsgpackSerializer(), KEYS)],
    ])("brings no deleted thread back: %s", async (_name, serde) => {
      const saver = open(database.source, serde, { keepTombstones: true });
      const source = newThread();
      await fill(saver, source);
      await saver.deleteThread(copy);
      await expect(saver.copyThread(source, copy)).rejects.toThrow(ThreadDeletedError);
      expect(await rowsOf(database, copy)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
      await saver.copyThread(source, newThread());
    });
  });
});
